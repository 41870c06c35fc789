# SPDX-License-Identifier: MIT
# The modules of find_package(ROCM): a library that is configured, tested, installed, packaged and found as AMD's libraries are.
. "$LS_SOURCE/tests/hipcc/lib.inc"
unset LOCKSTEP_ARCH ROCM_PATH HIP_PATH

mkdir -p rocdemo/include/rocdemo rocdemo/src
cp light.h rocdemo/src
echo 'int rocdemo_twice(int v);' >rocdemo/include/rocdemo/rocdemo.hpp
sed '1i\
#include <rocdemo/rocdemo.hpp> // by rocm_install_targets, which is told INCLUDE
s/int main()/int rocdemo_twice(int)/' light.hip >rocdemo/src/twice.cpp
cat >rocdemo/src/test.cpp <<'END'
#include <rocdemo/rocdemo.hpp>
int main() { return rocdemo_twice(0); }
END
echo 'Free' >rocdemo/LICENSE
cat >rocdemo/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(rocDemo LANGUAGES CXX) # files have its name in small letters
find_package(ROCM 0.11.0 CONFIG REQUIRED PATHS "${ROCM_ROOT}")
foreach(module ROCMSetupVersion ROCMCreatePackage ROCMInstallTargets ROCMPackageConfigHelpers ROCMInstallSymlinks ROCMHeaderWrapper
        ROCMCheckTargetIds ROCMClients ROCMTest ROCMUtilities)
    include(${module})
endforeach()
rocm_setup_version(VERSION 2.10.1)
if(NOT PROJECT_VERSION STREQUAL "2.10.1" OR NOT rocDemo_VERSION_MAJOR EQUAL 2 OR NOT rocDemo_VERSION_MINOR EQUAL 10 OR NOT PROJECT_VERSION_PATCH EQUAL 1)
    message(FATAL_ERROR "version ${PROJECT_VERSION}: ${rocDemo_VERSION_MAJOR}")
endif()
rocm_check_target_ids(ids TARGETS "gfx90a:xnack-;gfx90a:xnack+;gfx1100;gfx0;gfx1100:xnack+")
if(NOT ids STREQUAL "gfx90a:xnack-;gfx90a:xnack+;gfx1100")
    message(FATAL_ERROR "targets: ${ids}")
endif()
rocm_join_if_set(", " joined a b)
rocm_join_if_set(", " joined c)
if(NOT joined STREQUAL "a, b, c")
    message(FATAL_ERROR "joined: ${joined}")
endif()
rocm_find_program_version(cmake GREATER_EQUAL 3.20 LESS 3.0 QUIET)
if(NOT cmake_VERSION VERSION_EQUAL CMAKE_VERSION OR cmake_VERSION_OK)
    message(FATAL_ERROR "cmake: ${cmake_VERSION} ${cmake_VERSION_OK}")
endif()
rocm_set_os_id(os)
rocm_read_os_release(id ID)
rocm_read_os_release(nothing NO_SUCH_KEY)
if(NOT os_${os} OR NOT "${nothing}" STREQUAL "" OR (EXISTS /etc/os-release AND NOT os STREQUAL id))
    message(FATAL_ERROR "system: ${os} ${id} ${nothing}")
endif()
find_package(hip REQUIRED CONFIG PATHS "${ROCM_ROOT}")
add_library(rocdemo SHARED src/twice.cpp)
rocm_set_soversion(rocdemo "3.2")
target_link_libraries(rocdemo PRIVATE hip::device)
rocm_wrap_header_dir("${PROJECT_SOURCE_DIR}/include/rocdemo" HEADER_LOCATION include/rocdemo WRAPPER_LOCATIONS rocdemo/include OUTPUT_LOCATIONS wrapper PATTERNS *.hpp)
rocm_install_targets(TARGETS rocdemo INCLUDE include EXPORT rocdemo-targets)
rocm_install(DIRECTORY "${PROJECT_BINARY_DIR}/wrapper/" DESTINATION rocdemo/include FILES_MATCHING PATTERN "*.hpp")
rocm_export_targets(TARGETS roc::rocdemo NAMESPACE roc:: DEPENDS PACKAGE hip PACKAGE Threads)
rocm_install_symlink_subdir(rocdemo)
file(WRITE "${PROJECT_BINARY_DIR}/own.in" "@PACKAGE_INIT@\n") # a config file as rocThrust writes its own
rocm_write_package_template_function("${PROJECT_BINARY_DIR}/own.in" find_dependency rocdemo)
rocm_configure_package_config_file("${PROJECT_BINARY_DIR}/own.in" own-config.cmake INSTALL_DESTINATION lib/cmake/own)
rocm_install(FILES "${PROJECT_BINARY_DIR}/own-config.cmake" DESTINATION lib/cmake/own)
rocm_test_link_libraries(rocdemo)
rocm_add_test_executable(test_twice src/test.cpp)
rocm_test_headers(PREFIX rocdemo HEADERS include/rocdemo/*.hpp DEPENDS rocdemo)
rocm_package_setup_component(clients)
rocm_package_setup_client_component(samples DEPENDS COMMON "cmake > 3.0")
rocm_install(FILES src/test.cpp DESTINATION share/rocdemo COMPONENT samples)
rocm_package_add_dependencies(DEPENDS "libc6 >= 2.10")
rocm_package_add_deb_dependencies(COMPONENT devel DEPENDS "gcc > 4")
rocm_create_package(NAME rocdemo DESCRIPTION "A library" MAINTAINER "Nobody <nobody@example.invalid>" LDCONFIG)
END
for name in ROCM ROCmCMakeBuildTools; do
    sed "s/find_package(ROCM /find_package($name /" rocdemo/CMakeLists.txt >asks
    ok "$name" grep -q "find_package($name 0.11.0" asks
done
ok "configure" env ROCM_LIBPATCH_VERSION=60300 cmake -S rocdemo -B out -G Ninja -DCMAKE_CXX_COMPILER="$hipcc" -DROCM_ROOT="$LS_BUILD" -DCMAKE_CXX_FLAGS=-nogpuinc -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=ON \
    -DCMAKE_INSTALL_PREFIX="$work/inst"
ok "no warning" silent "CMake Warning" cmake out
ok "by the newer name" sh -c "cp asks rocdemo/CMakeLists.txt && ROCM_LIBPATCH_VERSION=60300 cmake out"
ok "a version of one part is refused" sh -c "sed 's/soversion(rocdemo \"3.2\")/soversion(rocdemo 3)/' rocdemo/CMakeLists.txt >asks1; mkdir one && cp -r rocdemo one/s && cp asks1 one/s/CMakeLists.txt; ! cmake -S one/s -B one/out -G Ninja -DCMAKE_CXX_COMPILER='$hipcc' -DROCM_ROOT='$LS_BUILD' -DCMAKE_CXX_FLAGS=-nogpuinc"
ok "another version is refused" sh -c "mkdir new && printf 'cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nfind_package(ROCM 0.99 CONFIG REQUIRED PATHS \"$LS_BUILD\")\n' >new/CMakeLists.txt; ! cmake -S new -B new/out"
ok "tests are built and run" cmake --build out --target check
ok "install" cmake --install out
for file in lib/librocdemo.so include/rocdemo/rocdemo.hpp rocdemo/include/rocdemo.hpp lib/cmake/rocdemo/rocdemo-config.cmake \
    lib/cmake/rocdemo/rocdemo-config-version.cmake lib/cmake/rocdemo/rocdemo-targets.cmake share/doc/rocdemo/LICENSE share/rocdemo/test.cpp; do
    ok "$file" test -e "inst/$file"
done
ok "the library's file has its version, with the environment's part" test -f inst/lib/librocdemo.so.3.2.60300
ok "and the name that the loader asks for its first part" test "$(readlink inst/lib/librocdemo.so)" = librocdemo.so.3
ok "a link for the old place" test -L inst/include/rocdemo.hpp
ok "the old header warns and includes the new one" says "include <rocdemo/rocdemo.hpp>" cc -x c++ -fsyntax-only inst/rocdemo/include/rocdemo.hpp
ok "and compiles" sh -c "echo 'int f() { return rocdemo_twice(1); }' | cc -x c++ -DROCM_NO_WRAPPER_HEADER_WARNING -include inst/rocdemo/include/rocdemo.hpp -fsyntax-only -"

# what others find
mkdir user
cp rocdemo/src/test.cpp user
cat >user/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES CXX)
find_package(own REQUIRED) # calls find_dependency without asking for its module
find_package(rocdemo 2.1 REQUIRED)
if(NOT rocdemo_LIBRARIES STREQUAL "roc::rocdemo" OR NOT hip_FOUND OR NOT Threads_FOUND OR NOT EXISTS "${rocdemo_INCLUDE_DIR}/rocdemo/rocdemo.hpp")
    message(FATAL_ERROR "${rocdemo_LIBRARIES} ${hip_FOUND} ${rocdemo_INCLUDE_DIR}")
endif()
add_executable(user test.cpp)
target_link_libraries(user roc::rocdemo)
END
ok "found" cmake -S user -B user-out -G Ninja -DCMAKE_PREFIX_PATH="$work/inst;$LS_BUILD"
ok "linked" cmake --build user-out
ok "run" ./user-out/user

if command -v dpkg-deb >/dev/null; then
    ok "packages" sh -c "cd out && cpack -G DEB"
    ls out >packages
    ok "library" has packages rocdemo_2.10.1_
    ok "its dependencies" says "libc6 (>= 2.10)" dpkg-deb -f out/rocdemo_2.10.1_*.deb Depends
    ok "development" says "rocdemo (>= 2.10.1), gcc (>> 4)" dpkg-deb -f out/rocdemo-dev_2.10.1_*.deb Depends
    ok "samples" says "cmake (>> 3.0)" dpkg-deb -f out/rocdemo-samples_2.10.1_*.deb Depends
    ok "the library lies in its package alone" sh -c "dpkg-deb -c out/rocdemo_2.10.1_*.deb | grep -q 'librocdemo.so' && ! dpkg-deb -c out/rocdemo_2.10.1_*.deb | grep -q rocdemo.hpp"
    ok "headers in the other" sh -c "dpkg-deb -c out/rocdemo-dev_*.deb | grep -q include/rocdemo/rocdemo.hpp"
fi
finish
