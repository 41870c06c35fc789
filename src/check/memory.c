/* SPDX-License-Identifier: MIT */
/* Accesses outside of memory, to memory of others, or misaligned. */

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/check_priv.h"

#define FIRST_PAGE 4096u

/* What is wrong with one lane's access. */
struct fault {
    const char *kind, *message;
    char notes[LS_CHECK_TEXT + 128];
    bool stops; /* it would change memory of the host */
};

static atomic_bool has_reported; /* some access of a kernel */

static bool
fits(uint64_t at, uint64_t bytes, uint64_t base, uint64_t room)
{
    return at - base < room && room - (at - base) >= bytes;
}

/* Whether an address lies in the code that the site belongs to: tables are there. */
static bool
is_in_code(uint64_t at, const struct ls_check_site *site)
{
    Dl_info own, other;

    return dladdr(ls_check_unsized(site), &own) && dladdr((const void *)(uintptr_t)at, &other) &&
           own.dli_fbase == other.dli_fbase;
}

/* What holds an address that a warp may touch. */
static bool
find_range(const struct ls_check_warp *warp, const struct ls_check_site *site, uint64_t at,
           struct ls_check_range *range, bool *for_all)
{
    const struct ls_check_range own[] = {
        {.base = warp->lds, .bytes = warp->lds_bytes},
        {.base = warp->stack_lo, .bytes = warp->stack_hi - warp->stack_lo},
        {.base = warp->kernarg, .bytes = warp->kernarg_bytes, .is_read_only = true},
    };

    *for_all = true;
    if (ls_check_memory.find(at, range) || ls_check_find_extra(at, range))
        return true;
    *for_all = false;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (at - own[i].base < own[i].bytes) {
            *range = own[i];
            return true;
        }
    *range = (struct ls_check_range){.base = at, .bytes = site->bytes, .is_read_only = true};
    return is_in_code(at, site);
}

static bool
is_misaligned(const struct ls_check_site *site, uint64_t at)
{
    return site->align > 1 && at & (site->align - 1);
}

/* Looks at one lane's address; false: `f` says what is wrong. */
static bool
look_at_address(const struct ls_check_warp *warp, const struct ls_check_site *site, uint64_t at,
                struct ls_check_window *windows, struct fault *f)
{
    struct ls_check_window *w = &windows[site->slot];
    struct ls_check_range range;
    bool for_all;

    if (!is_misaligned(site, at) && fits(at, site->bytes, w->base, w->bytes))
        return true;
    f->notes[0] = '\0';
    f->stops = false;
    if (at < FIRST_PAGE) {
        f->kind = "null-pointer";
        f->message = "null pointer";
        snprintf(f->notes, sizeof(f->notes), "address 0x%" PRIx64 "\n", at);
        return false;
    }
    if (!find_range(warp, site, at, &range, &for_all)) {
        f->kind = ls_check_explain(at, f->notes);
        f->message = "no memory of the device";
        f->stops = site->kind != LS_CHECK_LOAD && !strcmp(f->kind, "host-pointer");
        return false;
    }
    if (!fits(at, site->bytes, range.base, range.bytes)) {
        f->kind = ls_check_explain(range.base + range.bytes, f->notes);
        f->message = "only in part within its memory";
        return false;
    }
    if (range.is_read_only && site->kind != LS_CHECK_LOAD) {
        f->kind = "read-only";
        f->message = "memory that kernels may only read";
        ls_check_explain(at, f->notes);
        return false;
    }
    if (is_misaligned(site, at)) {
        f->kind = "misaligned";
        f->message = "misaligned address";
        snprintf(f->notes, sizeof(f->notes), "address 0x%" PRIx64 " is no multiple of %u\n", at,
                 site->align);
        return false;
    }
    if (for_all)
        *w = (struct ls_check_window){range.base, range.bytes};
    return true;
}

static bool
look_at_offset(const struct ls_check_warp *warp, const struct ls_check_site *site, uint64_t at,
               struct fault *f)
{
    static const char *const names[] = {
        [LS_CHECK_LDS] = "shared memory",
        [LS_CHECK_PRIVATE] = "a variable of the thread",
        [LS_CHECK_ARGUMENT] = "an argument",
        [LS_CHECK_CONSTANT] = "a constant",
    };
    bool is_shared = site->space == LS_CHECK_LDS;
    uint64_t room = site->room || !is_shared ? site->room : warp->lds_bytes;
    int64_t offset = (int64_t)(is_shared ? (uint32_t)at - site->from : at);
    char name[128] = "";

    if (is_shared)
        offset = (int32_t)offset;
    f->stops = false;
    if (fits((uint64_t)offset, site->bytes, 0, room)) {
        if (!is_shared || !is_misaligned(site, at))
            return true;
        f->kind = "misaligned";
        f->message = "misaligned place in shared memory";
        snprintf(f->notes, sizeof(f->notes), "offset %" PRIu64 " is no multiple of %u\n", at,
                 site->align);
        return false;
    }
    if (site->variable)
        ls_check_variable_name((const char *)site + site->variable, name, sizeof(name));
    f->kind = is_shared ? "shared-out-of-bounds" : "private-out-of-bounds";
    if (site->space == LS_CHECK_ARGUMENT || site->space == LS_CHECK_CONSTANT)
        f->kind = "constant-out-of-bounds";
    f->message = "outside of its variable";
    snprintf(f->notes, sizeof(f->notes), "byte %" PRId64 " of the %" PRIu64 " bytes of %s%s%s\n",
             offset, room, name, *name ? ", " : "", names[site->space]);
    f->stops = is_shared && (uint32_t)(at + warp->lds_pad) + (uint64_t)site->bytes >
                                warp->lds_bytes + 2 * (uint64_t)warp->lds_pad;
    return false;
}

bool
ls_check_memory_access(const struct ls_check_warp *warp, const struct ls_check_site *site,
                       const uint64_t *places, uint64_t *mask, struct ls_check_window *windows)
{
    struct fault f, first = {.kind = NULL};
    char message[256], words[64];
    uint64_t bad = 0;

    for (uint64_t left = *mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        bool ok = site->space == LS_CHECK_ANYWHERE
                      ? look_at_address(warp, site, places[lane], windows, &f)
                      : look_at_offset(warp, site, places[lane], &f);

        if (ok)
            continue;
        if (!bad)
            first = f;
        first.stops |= f.stops;
        bad |= (uint64_t)1 << lane;
    }
    *mask &= ~bad;
    if (!bad || !(ls_checks() & LS_CHECK_MEMORY))
        return true;
    snprintf(message, sizeof(message), "%s: %s", ls_check_words(site, words), first.message);
    atomic_store(&has_reported, true);
    ls_check_report_at(warp, site, "memory", first.kind, message, first.notes, bad);
    return !first.stops;
}

void
ls_check_call(const struct ls_check_warp *warp, const struct ls_check_site *site, uint64_t target,
              uint64_t mask)
{
    char notes[64];

    if (!(ls_checks() & LS_CHECK_MEMORY))
        return;
    snprintf(notes, sizeof(notes), "address 0x%" PRIx64 "\n", target);
    ls_check_report_at(warp, site, "memory", target ? "wild-function" : "null-function",
                       target ? "a call of what is no function" : "a call through a null pointer",
                       notes, mask);
}

void
ls_check_fault(const struct ls_check_warp *warp, const char *kind, const char *message,
               bool by_access)
{
    static const struct ls_check_site nowhere;

    if (ls_checks() & LS_CHECK_MEMORY && !(by_access && atomic_load(&has_reported)))
        ls_check_report_at(warp, &nowhere, "memory", kind, message, "", 1);
}
