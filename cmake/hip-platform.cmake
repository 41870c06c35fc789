# SPDX-License-Identifier: MIT
# Which platform a project means: what the configs of this installation share.
#   ls_hip_platform(var)              amd or nvidia: HIP_PLATFORM, else CMake's own for its HIP language, else the environment's
#   ls_hip_nvidia_target(name ROOT root [LIBRARIES name...])
#                                     an interface to this HIP's headers on NVIDIA's platform, and to libraries of CUDA for other
#                                     compilers than hipcc
macro(ls_hip_platform var)
    if(HIP_PLATFORM)
        set(${var} ${HIP_PLATFORM})
    elseif(CMAKE_HIP_PLATFORM)
        set(${var} ${CMAKE_HIP_PLATFORM})
    elseif(DEFINED ENV{HIP_PLATFORM})
        set(${var} $ENV{HIP_PLATFORM})
    else()
        set(${var} amd)
    endif()
    if(${var} STREQUAL nvcc)
        set(${var} nvidia)
    endif()
endmacro()

function(ls_hip_nvidia_target name)
    cmake_parse_arguments(_arg "" ROOT LIBRARIES ${ARGN})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env HIP_PLATFORM=nvidia ${_arg_ROOT}/bin/hipconfig --full
        OUTPUT_VARIABLE _text ERROR_VARIABLE _error RESULT_VARIABLE _result)
    if(NOT _result EQUAL 0)
        message(FATAL_ERROR "hip: ${_error}")
    endif()
    string(REGEX REPLACE ".*CUDA_PATH *: ([^\n]*).*" "\\1" _cuda "${_text}")
    add_library(${name} INTERFACE IMPORTED)
    set_target_properties(${name} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${_arg_ROOT}/include;${_cuda}/include"
        INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_NVIDIA__=1)
    get_filename_component(_compiler "${CMAKE_CXX_COMPILER}" REALPATH)
    if(_compiler MATCHES "hipcc$" OR CMAKE_HIP_COMPILER)
        return()
    endif()
    foreach(_library IN LISTS _arg_LIBRARIES)
        find_library(_ls_${_library} NAMES ${_library} PATHS ${_cuda} PATH_SUFFIXES lib64 lib NO_DEFAULT_PATH)
        mark_as_advanced(_ls_${_library})
        if(_ls_${_library})
            set_property(TARGET ${name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${_ls_${_library}})
        endif()
    endforeach()
    set_property(TARGET ${name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES dl rt pthread)
endfunction()
