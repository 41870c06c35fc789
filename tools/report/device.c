/* SPDX-License-Identifier: MIT */
/* Asks the runtime for devices. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
check(const char *program, const char *what, hipError_t err)
{
    if (err == hipSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "%s: %s: %s (%s)\n", program, what, hipGetErrorName(err),
            hipGetErrorString(err));
    exit(1);
}

int
count_devices(const char *program)
{
    int n = 0;
    hipError_t err = hipGetDeviceCount(&n);

    if (err == hipErrorNoDevice)
        return 0;
    check(program, "hipGetDeviceCount", err);
    return n;
}

bool
is_gfx(const hipDeviceProp_t *prop)
{
    return strncmp(prop->gcnArchName, "gfx", 3) == 0;
}

void
each_gfx(const char *program, void (*each)(const hipDeviceProp_t *prop))
{
    int n = count_devices(program);

    for (int i = 0; i < n; i++) {
        hipDeviceProp_t prop;

        check(program, "hipGetDeviceProperties", hipGetDeviceProperties(&prop, i));
        if (is_gfx(&prop))
            each(&prop);
    }
}
