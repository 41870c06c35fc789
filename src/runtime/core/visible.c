/* SPDX-License-Identifier: MIT */
/* Which devices programs see, and by what name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "runtime/core/core.h"

void
ls_device_uuid(unsigned part, hipUUID *uuid)
{
    char text[24];

    snprintf(text, sizeof(text), "LOCKSTEP-CPU-%03u", part % 1000);
    memcpy(uuid->bytes, text, sizeof(uuid->bytes));
}

/* The place in list of the device that one entry names: "2", or as much of "GPU-<uuid>" as no other
 * has; -1 when it names none. */
static int
place_of(const char *entry, size_t bytes, const uint8_t *list, unsigned n)
{
    char text[16], *end;
    long index;
    int found = -1;

    if (bytes >= 4 && strncmp(entry, "GPU-", 4) == 0) {
        for (unsigned i = 0; i < n; i++) {
            hipUUID uuid;

            ls_device_uuid(list[i], &uuid);
            if (bytes - 4 > sizeof(uuid.bytes) || memcmp(uuid.bytes, entry + 4, bytes - 4) != 0)
                continue;
            if (found >= 0)
                return -1;
            found = (int)i;
        }
        return found;
    }
    if (bytes == 0 || bytes >= sizeof(text))
        return -1;
    memcpy(text, entry, bytes);
    text[bytes] = 0;
    index = strtol(text, &end, 10);
    return *end == 0 && index >= 0 && index < (long)n ? (int)index : -1;
}

/* Keeps those devices of the list that the variable names, in its order. The first entry that names
 * no device ends it; a device that is named again is ignored. */
static unsigned
choose(const char *entries, uint8_t *list, unsigned n)
{
    uint8_t all[LS_MAX_DEVICES];
    unsigned k = 0, taken = 0;

    memcpy(all, list, sizeof(all));
    for (;;) {
        size_t bytes = strcspn(entries, ",");
        int i = place_of(entries, bytes, all, n);

        if (i < 0)
            return k;
        if (!(taken & 1u << i))
            list[k++] = all[i];
        taken |= 1u << i;
        if (entries[bytes] == 0)
            return k;
        entries += bytes + 1;
    }
}

/* ROCR_VISIBLE_DEVICES counts physical devices, the others those that it leaves.
 * CUDA_VISIBLE_DEVICES counts where HIP_VISIBLE_DEVICES is not set, and where there are no GPUs of
 * NVIDIA's: of those the driver has left out others already. */
unsigned
ls_visible_devices(unsigned n, bool driver_chose, uint8_t list[LS_MAX_DEVICES])
{
    const char *hip = ls_env_get("HIP_VISIBLE_DEVICES");
    const char *const filters[] = {ls_env_get("ROCR_VISIBLE_DEVICES"),
                                   ls_env_get("GPU_DEVICE_ORDINAL"),
                                   hip && *hip    ? hip
                                   : driver_chose ? NULL
                                                  : ls_env_get("CUDA_VISIBLE_DEVICES")};

    for (unsigned i = 0; i < n; i++)
        list[i] = (uint8_t)i;
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
        if (filters[i] && (*filters[i] || i == 0)) /* ROCR_VISIBLE_DEVICES may be empty: none */
            n = choose(filters[i], list, n);
    return n;
}
