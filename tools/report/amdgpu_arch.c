/* SPDX-License-Identifier: MIT */
/* amdgpu-arch: one line for each device, its architecture; clang and CMake ask LLVM's tool of that
 * name. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "device.h"

static void
print(const hipDeviceProp_t *prop)
{
    puts(prop->gcnArchName);
}

int
main(int argc, char **argv)
{
    ls_file_check_output();
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts("usage: amdgpu-arch\nPrints the architecture of each device that answers as AMD "
             "hardware, one a line.");
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--only=amdgpu") != 0) {
        fprintf(stderr, "amdgpu-arch: unknown option '%s'\n", argv[1]);
        return 1;
    }
    each_gfx("amdgpu-arch", print);
    return 0;
}
