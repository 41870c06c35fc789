# SPDX-License-Identifier: MIT
# For CPack, before a package is built: links to what other packages have become relative. An installation may be moved, so it has
# absolute ones, but a package stays in its place; Debian's policy wants these, and CPack counts what absolute ones lead to as
# installed.
file(GLOB _links ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/lib/llvm/bin/*
    ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/amdgcn/*)
foreach(_link ${_links})
    if(NOT IS_SYMLINK ${_link})
        continue()
    endif()
    file(READ_SYMLINK ${_link} _to)
    if(IS_ABSOLUTE ${_to})
        string(REGEX REPLACE ".*(${CPACK_PACKAGING_INSTALL_PREFIX}/)" "\\1" _from ${_link})
        get_filename_component(_from ${_from} DIRECTORY)
        file(RELATIVE_PATH _to ${_from} ${_to})
        file(CREATE_LINK ${_to} ${_link} SYMBOLIC)
    endif()
endforeach()
