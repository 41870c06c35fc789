# SPDX-License-Identifier: MIT
# What find_package() of others reads about a library.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

# As CMake's configure_package_config_file. PREFIX: the folder below the installation's in which the project lies.
function(rocm_configure_package_config_file input output)
    cmake_parse_arguments(arg "" "INSTALL_DESTINATION;PREFIX" "PATH_VARS" ${ARGN})
    set(prefix "${CMAKE_INSTALL_PREFIX}")
    if(arg_PREFIX)
        set(prefix "${CMAKE_INSTALL_PREFIX}/${arg_PREFIX}")
    endif()
    configure_package_config_file("${input}" "${output}" INSTALL_DESTINATION "${arg_INSTALL_DESTINATION}"
        PATH_VARS ${arg_PATH_VARS} INSTALL_PREFIX "${prefix}")
    get_filename_component(output "${output}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    file(READ "${output}" text) # a config file may call find_dependency without more
    file(WRITE "${output}" "include(CMakeFindDependencyMacro)\n${text}")
endfunction()

# rocm_write_package_template_function(FILE NAME ARGUMENT...): appends a call of NAME.
function(rocm_write_package_template_function file name)
    set(line "${name}(")
    foreach(argument IN LISTS ARGN)
        string(APPEND line "\"${argument}\" ")
    endforeach()
    string(REGEX REPLACE " $" "" line "${line}")
    file(APPEND "${file}" "${line})\n")
endfunction()

# The same, where CONDITION holds when the file is read.
function(rocm_write_package_template_function_if file condition name)
    file(APPEND "${file}" "if(${condition})\n")
    rocm_write_package_template_function("${file}" "${name}" ${ARGN})
    file(APPEND "${file}" "endif()\n")
endfunction()
