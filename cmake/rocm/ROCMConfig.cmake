# SPDX-License-Identifier: MIT
# find_package(ROCM), or find_package(ROCmCMakeBuildTools): makes the modules of this folder known to include(). They have the names
# and arguments of rocm-cmake's, of which they are written anew; docs/packages.md says which are not there.
get_filename_component(_rocm_modules "${CMAKE_CURRENT_LIST_DIR}/../../rocm/cmake" ABSOLUTE)
list(APPEND CMAKE_MODULE_PATH "${_rocm_modules}")
