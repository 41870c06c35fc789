/* SPDX-License-Identifier: MIT */
/* rocm_agent_enumerator: the architectures that programs run on here, one for each device, as AMD's
 * tool of that name lists them. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "device.h"

static void
print(const hipDeviceProp_t *prop)
{
    puts(prop->gcnArchName);
}

/* The architecture without features. */
static void
print_plain(const hipDeviceProp_t *prop)
{
    printf("%.*s\n", (int)strcspn(prop->gcnArchName, ":"), prop->gcnArchName);
}

/* AMD's tool lists the CPU as gfx000. */
int
main(int argc, char **argv)
{
    const char *kind = "none";
    bool full = false;

    ls_file_check_output();
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            puts("usage: rocm_agent_enumerator [-name] [-t none|GPU|CPU]");
            return 0;
        }
        if (!strcmp(argv[i], "-name")) {
            full = true;
        } else if (!strcmp(argv[i], "-t") && i + 1 < argc) {
            kind = argv[++i];
        } else {
            fprintf(stderr, "rocm_agent_enumerator: unknown option '%s'\n", argv[i]);
            return 2;
        }
    }
    if (strcmp(kind, "none") && strcmp(kind, "GPU") && strcmp(kind, "CPU")) {
        fprintf(stderr, "rocm_agent_enumerator: -t %s: none, GPU or CPU\n", kind);
        return 2;
    }
    if (strcmp(kind, "GPU") != 0)
        puts("gfx000");
    if (strcmp(kind, "CPU") != 0)
        each_gfx("rocm_agent_enumerator", full ? print : print_plain);
    return 0;
}
