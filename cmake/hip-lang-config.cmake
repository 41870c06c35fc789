# SPDX-License-Identifier: MIT
# What CMake's HIP language links: hip-lang::device (and hip-lang::host, hip-lang::amdhip64). The compiler is
# lib/llvm/bin/clang++ of this installation: CMake accepts no compiler called hipcc.
get_filename_component(_hip_lang_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

include("${CMAKE_CURRENT_LIST_DIR}/../hip/hip-platform.cmake")
ls_hip_platform(_hip_lang_platform)
if(_hip_lang_platform STREQUAL nvidia)
    if(NOT TARGET hip-lang::host)
        ls_hip_nvidia_target(hip-lang::host ROOT "${_hip_lang_root}")
        add_library(hip-lang::device INTERFACE IMPORTED)
        set_target_properties(hip-lang::device PROPERTIES INTERFACE_LINK_LIBRARIES hip-lang::host)
    endif()
elseif(NOT TARGET hip-lang::amdhip64)
    add_library(hip-lang::amdhip64 SHARED IMPORTED)
    set_target_properties(hip-lang::amdhip64 PROPERTIES
        IMPORTED_LOCATION "${_hip_lang_root}/lib/libamdhip64.so.6"
        IMPORTED_SONAME libamdhip64.so.6
        INTERFACE_INCLUDE_DIRECTORIES "${_hip_lang_root}/include"
        INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
    add_library(hip-lang::host INTERFACE IMPORTED)
    set_target_properties(hip-lang::host PROPERTIES INTERFACE_LINK_LIBRARIES hip-lang::amdhip64)
    add_library(hip-lang::device INTERFACE IMPORTED)
    set_target_properties(hip-lang::device PROPERTIES INTERFACE_LINK_LIBRARIES hip-lang::host)
endif()

set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET "hip-lang::device")
