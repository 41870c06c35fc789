# SPDX-License-Identifier: MIT
# Packages of a library's tests, benchmarks and samples.
include_guard(GLOBAL)
include(ROCMCreatePackage)

# rocm_package_setup_client_component(NAME ...): as rocm_package_setup_component, below the component clients.
function(rocm_package_setup_client_component component)
    rocm_package_setup_component(${component} PARENT clients ${ARGN})
endfunction()
