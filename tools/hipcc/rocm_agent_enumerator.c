/* SPDX-License-Identifier: MIT */
/* rocm_agent_enumerator: the architectures that programs run on here, as AMD's tool of that name
 * lists them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hipcc_priv.h"

/* AMD's tool lists the CPU as gfx000. */
int
main(int argc, char **argv)
{
    const char *arch = getenv("LOCKSTEP_ARCH");
    bool gpus_only = false;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            puts("usage: rocm_agent_enumerator [-name] [-t none|GPU|CPU]");
            return 0;
        }
        if (!strcmp(argv[i], "-t") && i + 1 < argc) {
            i++;
            if (!strcmp(argv[i], "CPU")) {
                puts("gfx000");
                return 0;
            }
            gpus_only = !strcmp(argv[i], "GPU");
        }
    }
    if (!gpus_only)
        puts("gfx000");
    puts(arch && *arch ? arch : LS_HIPCC_DEFAULT_ARCH);
    return 0;
}
