# SPDX-License-Identifier: MIT
# find_package(HIP) of projects that have <root>/lib/cmake/hip on CMAKE_MODULE_PATH and add HIP sources to targets
# whose other sources any compiler builds:
#   hip_add_executable(target [EXCLUDE_FROM_ALL] sources... [HIPCC_OPTIONS ...] [CLANG_OPTIONS ...] [NVCC_OPTIONS ...])
#   hip_add_library(target [STATIC|SHARED|MODULE] [EXCLUDE_FROM_ALL] sources... [the same])
#   hip_include_directories(folders...)  for HIP sources of the functions above, beside the target's own
#   hip_reset_flags()                    forgets HIP_HIPCC_FLAGS and HIP_CLANG_FLAGS
# A source is HIP if its name ends in .hip or .cu, or if it has the property HIP_SOURCE_PROPERTY_FORMAT. Each becomes an
# object file by a command of its own: hipcc with HIP_HIPCC_FLAGS, HIP_CLANG_FLAGS, those of the configuration
# (HIP_HIPCC_FLAGS_DEBUG ...), the options above, and the target's include directories and definitions. NVCC_OPTIONS are
# ignored. hipcc links, so that relocatable device code (-fgpu-rdc) works.
get_filename_component(HIP_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(HIP_HIPCC_EXECUTABLE "${HIP_ROOT_DIR}/bin/hipcc" CACHE FILEPATH "hipcc")
set(HIP_HIPCONFIG_EXECUTABLE "${HIP_ROOT_DIR}/bin/hipconfig" CACHE FILEPATH "hipconfig")
mark_as_advanced(HIP_HIPCC_EXECUTABLE HIP_HIPCONFIG_EXECUTABLE)
foreach(_hip_ask version platform compiler runtime)
    string(TOUPPER ${_hip_ask} _hip_answer)
    execute_process(COMMAND "${HIP_HIPCONFIG_EXECUTABLE}" --${_hip_ask} OUTPUT_VARIABLE HIP_${_hip_answer}
        OUTPUT_STRIP_TRAILING_WHITESPACE)
endforeach()
if(HIP_VERSION MATCHES "^([0-9]+)\\.([0-9]+)\\.([0-9]+)")
    set(HIP_VERSION_MAJOR ${CMAKE_MATCH_1})
    set(HIP_VERSION_MINOR ${CMAKE_MATCH_2})
    set(HIP_VERSION_PATCH ${CMAKE_MATCH_3})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HIP REQUIRED_VARS HIP_HIPCC_EXECUTABLE HIP_HIPCONFIG_EXECUTABLE HIP_VERSION
    VERSION_VAR HIP_VERSION)

foreach(_hip_compiler HIPCC CLANG)
    set(HIP_${_hip_compiler}_FLAGS "" CACHE STRING "Options for HIP sources, separated by semicolons")
    mark_as_advanced(HIP_${_hip_compiler}_FLAGS)
endforeach()

# What CMake needs of a language that links.
set(CMAKE_HIPCC_LINK_EXECUTABLE "\"${HIP_HIPCC_EXECUTABLE}\" <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_HIPCC_CREATE_SHARED_LIBRARY
    "\"${HIP_HIPCC_EXECUTABLE}\" -shared <LINK_FLAGS> <SONAME_FLAG><TARGET_SONAME> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_HIPCC_CREATE_SHARED_MODULE "${CMAKE_HIPCC_CREATE_SHARED_LIBRARY}")
set(CMAKE_HIPCC_ARCHIVE_CREATE "<CMAKE_AR> qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_HIPCC_ARCHIVE_FINISH "<CMAKE_RANLIB> <TARGET>")
set(CMAKE_SHARED_LIBRARY_SONAME_HIPCC_FLAG "-Wl,-soname,")

macro(hip_reset_flags)
    unset(HIP_HIPCC_FLAGS CACHE)
    unset(HIP_CLANG_FLAGS CACHE)
endmacro()

macro(hip_include_directories)
    foreach(_hip_folder ${ARGN})
        get_filename_component(_hip_folder "${_hip_folder}" ABSOLUTE)
        list(APPEND HIP_HIPCC_INCLUDE_DIRECTORIES "-I${_hip_folder}")
    endforeach()
endmacro()

# Options of one compiler: everywhere, in one configuration, in this call.
function(_hip_options out compiler)
    set(options ${HIP_${compiler}_FLAGS})
    foreach(config Debug Release RelWithDebInfo MinSizeRel)
        string(TOUPPER ${config} upper)
        if(HIP_${compiler}_FLAGS_${upper})
            list(APPEND options "$<$<CONFIG:${config}>:${HIP_${compiler}_FLAGS_${upper}}>")
        endif()
    endforeach()
    set(${out} ${options} ${ARGN} PARENT_SCOPE)
endfunction()

function(_hip_compile target source object_out)
    get_filename_component(path "${source}" ABSOLUTE)
    string(REGEX REPLACE "[^A-Za-z0-9_.]" "_" name "${source}")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/${name}.o")
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    separate_arguments(build_type UNIX_COMMAND "${CMAKE_CXX_FLAGS_${HIP_BUILD_TYPE}}")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir")
    add_custom_command(OUTPUT "${object}"
        COMMAND "${HIP_HIPCC_EXECUTABLE}" -x hip -c "${path}" -o "${object}" -MD -MF "${object}.d" ${build_type}
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" ${HIP_HIPCC_INCLUDE_DIRECTORIES}
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            "$<$<BOOL:$<TARGET_PROPERTY:${target},POSITION_INDEPENDENT_CODE>>:-fPIC>" ${ARGN}
        DEPENDS "${path}" DEPFILE "${object}.d" COMMENT "Building HIP object CMakeFiles/${target}.dir/${name}.o"
        COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT true GENERATED true)
    set(${object_out} "${object}" PARENT_SCOPE)
endfunction()

# add_executable or add_library with what HIP sources have become, and the words before them.
function(_hip_add kind target)
    cmake_parse_arguments(arg "STATIC;SHARED;MODULE;EXCLUDE_FROM_ALL" "" "HIPCC_OPTIONS;CLANG_OPTIONS;NVCC_OPTIONS" ${ARGN})
    _hip_options(hipcc HIPCC ${arg_HIPCC_OPTIONS})
    _hip_options(clang CLANG ${arg_CLANG_OPTIONS})
    string(TOUPPER "${CMAKE_BUILD_TYPE}" HIP_BUILD_TYPE)
    foreach(source ${arg_UNPARSED_ARGUMENTS})
        get_source_file_property(is_hip "${source}" HIP_SOURCE_PROPERTY_FORMAT)
        if(is_hip OR source MATCHES "\\.(hip|cu)$")
            _hip_compile(${target} "${source}" object ${hipcc} ${clang})
            list(APPEND objects "${object}")
        else()
            list(APPEND objects "${source}")
        endif()
    endforeach()
    foreach(word STATIC SHARED MODULE EXCLUDE_FROM_ALL)
        if(arg_${word})
            list(APPEND words ${word})
        endif()
    endforeach()
    if(kind STREQUAL executable)
        add_executable(${target} ${words} ${objects})
    else()
        add_library(${target} ${words} ${objects})
    endif()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE HIPCC)
endfunction()

function(hip_add_executable target)
    _hip_add(executable ${target} ${ARGN})
endfunction()

function(hip_add_library target)
    _hip_add(library ${target} ${ARGN})
endfunction()
