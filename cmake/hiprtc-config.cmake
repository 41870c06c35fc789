# SPDX-License-Identifier: MIT
# find_package(hiprtc) of other projects: hiprtc::hiprtc for host code of any compiler.
get_filename_component(_hiprtc_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(hiprtc_INCLUDE_DIR "${_hiprtc_root}/include")
set(hiprtc_INCLUDE_DIRS "${_hiprtc_root}/include")
set(hiprtc_LIB_INSTALL_DIR "${_hiprtc_root}/lib")
set(hiprtc_LIBRARY hiprtc::hiprtc)
set(hiprtc_LIBRARIES hiprtc::hiprtc)

include("${CMAKE_CURRENT_LIST_DIR}/../hip/hip-platform.cmake")
ls_hip_platform(_hiprtc_platform)
if(_hiprtc_platform STREQUAL nvidia)
    if(NOT TARGET hiprtc::hiprtc)
        ls_hip_nvidia_target(hiprtc::hiprtc ROOT "${_hiprtc_root}" LIBRARIES nvrtc cudart_static)
    endif()
elseif(NOT TARGET hiprtc::hiprtc)
    add_library(hiprtc::hiprtc SHARED IMPORTED)
    set_target_properties(hiprtc::hiprtc PROPERTIES
        IMPORTED_LOCATION "${_hiprtc_root}/lib/libhiprtc.so.6"
        IMPORTED_SONAME libhiprtc.so.6
        INTERFACE_INCLUDE_DIRECTORIES "${_hiprtc_root}/include"
        INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
endif()
