# SPDX-License-Identifier: MIT
# Debian packages, by `cpack -G DEB` in the build folder. Three components:
#   runtime    libamdhip64 and what tells about devices; runs code that was made ahead of time, or cached. No LLVM
#   compiler   the kernel compiler, with the parts of LLVM that it needs inside, and libhiprtc
#   dev        hipcc, headers, CMake's and pkg-config's files, tools for code objects; stock clang does the work
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR "Lockstep")
set(CPACK_PACKAGE_CONTACT "Lockstep's maintainers <maintainers@example.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/lockstep CACHE PATH "Where packages install to") # as LLVM has its own folder
set(CPACK_COMPONENTS_ALL runtime compiler dev)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME lockstep-runtime)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "lockstep-compiler")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "HIP without a GPU: the runtime
 Runs HIP programs on the CPU, or on NVIDIA's GPUs. Kernels that were not compiled ahead of time need lockstep-compiler.")

set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME lockstep-compiler)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SUGGESTS "lockstep-dev")
set(CPACK_DEBIAN_COMPILER_DESCRIPTION "HIP without a GPU: the kernel compiler
 Compiles kernels when a program runs. libhiprtc, which compiles sources, needs lockstep-dev for it.")
set(CPACK_COMPONENT_COMPILER_DEPENDS runtime)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME lockstep-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "clang-${LS_LLVM_MAJOR}, lld-${LS_LLVM_MAJOR}, rocm-device-libs | rocm-device-libs-17, g++")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "llvm-${LS_LLVM_MAJOR}")
set(CPACK_DEBIAN_DEV_DESCRIPTION "HIP without a GPU: hipcc, headers and tools
 Compiles HIP programs with stock clang. Where there is no /opt/rocm, that is a link to this installation.")
set(CPACK_COMPONENT_DEV_DEPENDS runtime compiler)
set(CPACK_DEBIAN_DEV_PACKAGE_CONTROL_EXTRA
    "${CMAKE_BINARY_DIR}/packages/postinst;${CMAKE_BINARY_DIR}/packages/prerm")
foreach(script postinst prerm)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/${script}.in ${CMAKE_BINARY_DIR}/packages/${script} @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/relative_links.cmake)
include(CPack)
