/* SPDX-License-Identifier: MIT */
/* The bytes behind an allocation. */
#include <string.h>

#include "check/check.h"
#include "runtime/core/core.h"
#include "runtime/mem/checked.h"
#include "runtime/mem/mem.h"

#define SEAL_BYTES     256u /* at most */
#define MIN_SEAL_BYTES                                                                             \
    64u /* least bytes, unless pages that nobody can touch lie behind the allocation */

size_t
ls_mem_whole(size_t bytes)
{
    bytes += ls_checked_gap(bytes);
    if (bytes < LS_GUARDED_BYTES)
        bytes += MIN_SEAL_BYTES;
    return (bytes + LS_MEM_PAGE - 1) / LS_MEM_PAGE * LS_MEM_PAGE;
}

static size_t
seal_bytes(size_t bytes)
{
    size_t rest = ls_mem_whole(bytes) - bytes;

    return rest < SEAL_BYTES ? rest : SEAL_BYTES;
}

/* The bytes of the seal: unlikely to be written by programs, and different within each word. */
static const unsigned char *
seal(void)
{
    static const unsigned char bytes[SEAL_BYTES] = {
#define EIGHT     0xd3, 0x5a, 0xc7, 0x91, 0x6b, 0xe2, 0x3d, 0xf8
#define THIRTYTWO EIGHT, EIGHT, EIGHT, EIGHT
        THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO, THIRTYTWO,
#undef THIRTYTWO
#undef EIGHT
    };

    return bytes;
}

void
ls_mem_seal(struct ls_device *dev, void *ptr, size_t bytes)
{
    dev->ops->mem.write(dev, (char *)ptr + bytes, seal(), seal_bytes(bytes));
}

bool
ls_mem_is_intact(const struct ls_mem_range *range, const char *when)
{
    const unsigned sealed = 1u << LS_MEM_DEVICE | 1u << LS_MEM_HOST | 1u << LS_MEM_MANAGED |
                            1u << LS_MEM_GLOBAL | 1u << LS_MEM_POOL;
    struct ls_device *dev = &ls_rt.gpus[range->device].dev;
    const unsigned char *want = seal();
    unsigned char end[SEAL_BYTES];
    size_t n, first = 0, last;

    if (ls_checks()) /* says it when it happens, and where */
        return true;
    if (!(sealed & 1u << range->kind) ||
        range->exported) /* the file that was exported ends there */
        return true;
    if (dev->ops->is_gone && dev->ops->is_gone(dev))
        return true;
    n = seal_bytes(range->bytes);
    dev->ops->mem.read(dev, end, range->base + range->bytes, n);
    if (memcmp(end, want, n) == 0)
        return true;
    while (end[first] == want[first])
        first++;
    for (last = n - 1; end[last] == want[last]; last--)
        ;
    ls_log(LS_LOG_ERROR,
           "overrun: %zu bytes of %s at %p were written beyond, %s: byte %zu to byte %zu%s lie "
           "behind its end",
           range->bytes, ls_mem_kind_name(range->kind), (void *)range->base, when,
           range->bytes + first, range->bytes + last, last == n - 1 ? ", and maybe more," : "");
    ls_mem_seal(dev, range->base, range->bytes);
    return false;
}
