# SPDX-License-Identifier: MIT
# Finds LLVM 19, stock clang and AMD's device libraries. Offers:
#   LS_CLANG, LS_CLANGXX, LS_LLD, LS_CLANG_RESOURCE_DIR, LS_ROCM_BITCODE_DIR   paths
#   ls_llvm                                                 target: the LLVM-C API (headers, archives)
set(LS_LLVM_MAJOR 19)
set(LS_LLVM_ROOT /usr/lib/llvm-${LS_LLVM_MAJOR} CACHE PATH "Where LLVM ${LS_LLVM_MAJOR} is installed")

find_program(LS_CLANG NAMES clang-${LS_LLVM_MAJOR} HINTS ${LS_LLVM_ROOT}/bin REQUIRED)
find_program(LS_CLANGXX NAMES clang++-${LS_LLVM_MAJOR} clang++ HINTS ${LS_LLVM_ROOT}/bin REQUIRED)
find_program(LS_LLD NAMES ld.lld-${LS_LLVM_MAJOR} ld.lld HINTS ${LS_LLVM_ROOT}/bin REQUIRED)
find_program(LS_LLVM_LINK NAMES llvm-link-${LS_LLVM_MAJOR} llvm-link HINTS ${LS_LLVM_ROOT}/bin)
find_program(LS_LLVM_OPT NAMES opt-${LS_LLVM_MAJOR} opt HINTS ${LS_LLVM_ROOT}/bin)

if(NOT LS_CLANG_RESOURCE_DIR)
    execute_process(COMMAND ${LS_CLANG} -print-resource-dir OUTPUT_STRIP_TRAILING_WHITESPACE
        OUTPUT_VARIABLE _resource_dir COMMAND_ERROR_IS_FATAL ANY)
    set(LS_CLANG_RESOURCE_DIR ${_resource_dir} CACHE PATH "clang's own headers")
endif()

# Debian 12; Debian 13 and Ubuntu; AMD. hipcc looks there, too, when they lie elsewhere than where it was built.
set(LS_ROCM_BITCODE_PATHS /usr/lib/x86_64-linux-gnu/amdgcn/bitcode /usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode
    /usr/lib/amdgcn/bitcode /opt/rocm/amdgcn/bitcode)
find_path(LS_ROCM_BITCODE_DIR ocml.bc REQUIRED
    PATHS ${LS_ROCM_BITCODE_PATHS}
    DOC "AMD's device libraries as bitcode (Debian: rocm-device-libs)")

find_path(LS_LLVM_INCLUDE_DIR llvm-c/Core.h HINTS ${LS_LLVM_ROOT}/include
    /usr/include/llvm-c-${LS_LLVM_MAJOR} NO_DEFAULT_PATH REQUIRED)
find_path(LS_LLVM_CONFIG_INCLUDE_DIR llvm/Config/llvm-config.h HINTS ${LS_LLVM_ROOT}/include
    /usr/include/llvm-${LS_LLVM_MAJOR} NO_DEFAULT_PATH REQUIRED)
# LLVM is linked in: 311,000 relocations of libLLVM cost each process that compiles 13 ms, those of what is used 4 ms,
# and a program with an LLVM of its own meets no other. lld, as it links 60 MB in a second.
find_program(LS_LLVM_CONFIG NAMES llvm-config HINTS ${LS_LLVM_ROOT}/bin NO_DEFAULT_PATH REQUIRED)
if(NOT LS_LLVM_ARCHIVES)
    execute_process(COMMAND ${LS_LLVM_CONFIG} --link-static --libfiles
            x86 amdgpu nvptx passes ipo irreader asmparser bitwriter linker
        OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE _archives COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(_archives UNIX_COMMAND "${_archives}")
    set(LS_LLVM_ARCHIVES "${_archives}" CACHE STRING "The parts of LLVM that are linked in")
endif()
add_library(ls_llvm INTERFACE)
target_include_directories(ls_llvm SYSTEM INTERFACE ${LS_LLVM_INCLUDE_DIR} ${LS_LLVM_CONFIG_INCLUDE_DIR})
target_link_libraries(ls_llvm INTERFACE ${LS_LLVM_ARCHIVES} stdc++ z zstd m dl pthread)
target_link_options(ls_llvm INTERFACE -B${LS_LLVM_ROOT}/bin -fuse-ld=lld -Wl,--gc-sections -Wl,--as-needed)

# Relocations of addresses in a form of a fiftieth of the size: glibc 2.36 and lld 18 know it.
include(CheckCSourceCompiles)
check_c_source_compiles("#include <features.h>
#if !__GLIBC_PREREQ(2, 36)
#error
#endif
int main(void) { return 0; }" LS_HAS_PACKED_RELOCATIONS)
set(LS_PACKED_RELOCATIONS $<$<BOOL:${LS_HAS_PACKED_RELOCATIONS}>:-Wl,-z,pack-relative-relocs>)
