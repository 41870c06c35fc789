# SPDX-License-Identifier: MIT
# Which targets the compiler can make code for.
include_guard(GLOBAL)

# rocm_check_target_ids(OUT TARGETS ID...): those for which the C++ compiler takes --offload-arch=ID.
function(rocm_check_target_ids out)
    cmake_parse_arguments(arg "" "" "TARGETS" ${ARGN})
    set(accepted)
    set(dir "${CMAKE_BINARY_DIR}/CMakeFiles/rocm")
    file(WRITE "${dir}/target_id.hip" "__attribute__((device)) void f() {}\n")
    foreach(id IN LISTS arg_TARGETS)
        string(MAKE_C_IDENTIFIER "HAVE_${id}" known)
        string(REPLACE "+" "_on" known "${known}${id}")
        string(REGEX REPLACE "[^A-Za-z0-9_]" "_" known "${known}")
        if(NOT DEFINED ROCM_${known})
            execute_process(COMMAND ${CMAKE_CXX_COMPILER} -x hip -nogpuinc -nogpulib --cuda-device-only --offload-arch=${id} -c target_id.hip
                -o target_id.o WORKING_DIRECTORY "${dir}" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
            if(status STREQUAL "0")
                set(ROCM_${known} TRUE CACHE INTERNAL "The compiler makes code for ${id}")
            else()
                set(ROCM_${known} FALSE CACHE INTERNAL "The compiler makes code for ${id}")
            endif()
        endif()
        if(ROCM_${known})
            list(APPEND accepted "${id}")
        endif()
    endforeach()
    set(${out} "${accepted}" PARENT_SCOPE)
endfunction()
