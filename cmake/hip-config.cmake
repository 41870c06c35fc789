# SPDX-License-Identifier: MIT
# find_package(hip) of other projects: hip::host for host code of any compiler, hip::device for HIP sources
# compiled with our hipcc, or the clang++ beside it, as the C++ compiler, hip::amdhip64 for the runtime alone.
get_filename_component(_hip_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

include("${CMAKE_CURRENT_LIST_DIR}/hip-platform.cmake")
ls_hip_platform(HIP_PLATFORM)
if(HIP_PLATFORM STREQUAL nvidia)
    set(HIP_COMPILER nvcc)
    set(HIP_RUNTIME cuda)
else()
    set(HIP_COMPILER clang)
    set(HIP_RUNTIME rocclr)
endif()
set(HIP_VERSION ${hip_VERSION})
set(hip_INCLUDE_DIR "${_hip_root}/include")
set(hip_INCLUDE_DIRS "${_hip_root}/include")
set(HIP_INCLUDE_DIR "${_hip_root}/include")
set(HIP_INCLUDE_DIRS "${_hip_root}/include")
set(hip_LIB_INSTALL_DIR "${_hip_root}/lib")
set(hip_BIN_INSTALL_DIR "${_hip_root}/bin")
set(hip_LIBRARY hip::amdhip64)
set(hip_LIBRARIES hip::host hip::device)
set(HIP_HIPCC_EXECUTABLE "${_hip_root}/bin/hipcc")
set(HIP_HIPCONFIG_EXECUTABLE "${_hip_root}/bin/hipconfig")

# The targets to compile for: GPU_TARGETS, or its older name.
if(NOT GPU_TARGETS AND AMDGPU_TARGETS)
    set(GPU_TARGETS "${AMDGPU_TARGETS}")
endif()
set(GPU_TARGETS "${GPU_TARGETS}" CACHE STRING "HIP targets to compile for; none = hipcc's default")

# AMD's libraries look here for the compiler of HIP sources.
set(HIP_CXX_COMPILER "${CMAKE_CXX_COMPILER}")

# clang++ in lib/llvm/bin is a link to hipcc.
get_filename_component(_hip_compiler "${CMAKE_CXX_COMPILER}" REALPATH)

if(HIP_PLATFORM STREQUAL nvidia)
    if(NOT TARGET hip::host)
        ls_hip_nvidia_target(hip::host ROOT "${_hip_root}" LIBRARIES cudart_static)
        add_library(hip::device INTERFACE IMPORTED)
        set_target_properties(hip::device PROPERTIES INTERFACE_LINK_LIBRARIES hip::host)
        foreach(_hip_target IN LISTS GPU_TARGETS)
            if(_hip_compiler MATCHES "hipcc$" AND _hip_target MATCHES "^sm_")
                set_property(TARGET hip::device APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
                    "$<$<COMPILE_LANGUAGE:CXX>:--offload-arch=${_hip_target}>")
            endif()
        endforeach()
    endif()
    set(hip_LIBRARY hip::host)
elseif(NOT TARGET hip::amdhip64)
    add_library(hip::amdhip64 SHARED IMPORTED)
    set_target_properties(hip::amdhip64 PROPERTIES
        IMPORTED_LOCATION "${_hip_root}/lib/libamdhip64.so.6"
        IMPORTED_SONAME libamdhip64.so.6
        INTERFACE_INCLUDE_DIRECTORIES "${_hip_root}/include"
        INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
    add_library(hip::host INTERFACE IMPORTED)
    set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64)
    add_library(hip::device INTERFACE IMPORTED)
    set_target_properties(hip::device PROPERTIES INTERFACE_LINK_LIBRARIES hip::host)
    if(_hip_compiler MATCHES "hipcc$" AND NOT CMAKE_CXX_COMPILER MATCHES "hipcc$") # by that name it takes .cpp for C++
        set_property(TARGET hip::device APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
            "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-x hip>")
        set_property(TARGET hip::device APPEND PROPERTY INTERFACE_LINK_OPTIONS "$<$<LINK_LANGUAGE:CXX>:--hip-link>")
    endif()
    foreach(_hip_target IN LISTS GPU_TARGETS)
        set_property(TARGET hip::device APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
            "$<$<COMPILE_LANGUAGE:CXX>:--offload-arch=${_hip_target}>")
    endforeach()
endif()

if(CMAKE_CXX_COMPILER AND NOT _hip_compiler MATCHES "hipcc$" AND NOT CMAKE_HIP_COMPILER_LOADED AND NOT hip_FIND_QUIETLY)
    message(STATUS "hip: HIP sources need CMake's HIP language (enable_language(HIP)) or hipcc as the C++ compiler: "
        "-DCMAKE_CXX_COMPILER=${_hip_root}/bin/hipcc")
endif()
