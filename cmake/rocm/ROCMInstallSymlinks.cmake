# SPDX-License-Identifier: MIT
# Links for projects that once lay in a folder of their own below /opt/rocm.
include_guard(GLOBAL)

# rocm_install_symlink_subdir(FOLDER [COMPONENT]): what is installed in FOLDER gets a link at the same place in the prefix itself.
function(rocm_install_symlink_subdir folder)
    set(component devel)
    if(ARGC GREATER 1)
        set(component "${ARGV1}")
    endif()
    install(CODE "
        set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
        file(GLOB_RECURSE files RELATIVE \"\${root}/${folder}\" LIST_DIRECTORIES false \"\${root}/${folder}/*\")
        foreach(file IN LISTS files)
            get_filename_component(dir \"\${file}\" DIRECTORY)
            file(MAKE_DIRECTORY \"\${root}/\${dir}\")
            if(NOT EXISTS \"\${root}/\${file}\" OR IS_SYMLINK \"\${root}/\${file}\")
                file(RELATIVE_PATH target \"\${root}/\${dir}/\" \"\${root}/${folder}/\${file}\")
                file(CREATE_LINK \"\${target}\" \"\${root}/\${file}\" SYMBOLIC)
                message(STATUS \"Installing symlink: \${root}/\${file}\")
            endif()
        endforeach()" COMPONENT ${component})
endfunction()
