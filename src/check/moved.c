/* SPDX-License-Identifier: MIT */
/* Copies and fills by the device, as far as races are concerned. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/check_priv.h"

/* A copy or fill that touches memory: a block of one warp. */
struct mover {
    struct ls_check_block block;
    struct ls_check_state warp;
    const char *name;
    bool writes;
};

static void
report(const struct mover *m, const struct ls_check_entry *other, uint64_t place)
{
    char message[512], notes[2 * LS_CHECK_TEXT + 1024], where[LS_CHECK_TEXT], key[128];
    const struct ls_check_site *site = ls_check_site_of((uint16_t)(other->what >> LS_ENTRY_SITE));
    bool wrote = ls_entry_kind(other) >= LS_ENTRY_ATOMIC;
    struct ls_check_ran ran;
    bool with_host;
    int n;

    if (!ls_check_launch_of(other->who & LS_ENTRY_RUN, &ran))
        return;
    with_host = m->block.launch->is_host || ran.launch.is_host;
    snprintf(message, sizeof(message),
             "%s %s memory that %s %s: no stream, event or synchronisation orders them", m->name,
             m->writes ? "writes" : "reads", ran.launch.is_kernel ? "a kernel" : ran.name,
             wrote ? "writes" : "reads");
    ls_check_explain(place, where);
    n = snprintf(notes, sizeof(notes), "%s%s by %s%s\n", where, wrote ? "written" : "read",
                 ran.launch.is_kernel ? "kernel " : "", ran.name);
    if (site && site->trace)
        ls_check_say_trace((const char *)site + site->trace, notes + n, sizeof(notes) - (size_t)n);
    snprintf(key, sizeof(key), "%.100s %u", ran.name, (unsigned)(other->what >> LS_ENTRY_SITE));
    ls_check_report(&(struct ls_check_finding){
        .check = "race",
        .kind = with_host ? (wrote ? "host-write" : "host-read")
                : wrote   ? "stream-write"
                          : "stream-read",
        .message = message,
        .notes = notes,
        .key = key,
    });
}

static void
touch(struct mover *m, uint64_t line, unsigned unit, uint32_t mask)
{
    struct ls_check_entry found,
        now = {
            .who = m->block.base | (uint64_t)unit << LS_ENTRY_UNIT |
                   (uint64_t)(m->writes ? LS_ENTRY_WRITE : LS_ENTRY_READ) << LS_ENTRY_KIND,
            .what = mask | (uint64_t)1 << LS_ENTRY_TIME_LOW,
        };
    struct ls_check_line *l = ls_check_line_of(line * LS_LINE_BYTES);
    uint32_t bad = l ? ls_check_touch(&m->block, l, &now, &found) : 0;

    if (bad)
        report(m, &found,
               line * LS_LINE_BYTES + (unit ? (unit - 4) * 32u : 0) +
                   (unit ? 1u : 4u) * (unsigned)__builtin_ctz(bad));
}

static void
touch_all(struct mover *m, uint64_t at, uint64_t bytes)
{
    while (bytes) {
        uint64_t low = at % LS_LINE_BYTES,
                 n = bytes < LS_LINE_BYTES - low ? bytes : LS_LINE_BYTES - low;
        bool words = ((at | n) & 3) == 0;

        if (!words)
            n = n < 32 - low % 32 ? n : 32 - low % 32;
        uint64_t n_units = words ? n / 4 : n;

        touch(m, at / LS_LINE_BYTES, words ? 0 : 4 + (unsigned)low / 32,
              (uint32_t)((((uint64_t)1 << n_units) - 1) << (words ? low / 4 : low % 32)));
        at += n;
        bytes -= n;
    }
}

/* Memory of the host that no device has is none of ours. */
static bool
is_known(uint64_t at, uint64_t bytes)
{
    struct ls_check_range range;
    uint64_t offset;

    return ls_check_arena_offset((const void *)(uintptr_t)at, bytes, &offset) ||
           ls_check_find_extra(at, &range);
}

void
ls_check_moved(struct ls_check_launch *launch, const void *to, const void *from, size_t bytes)
{
    struct mover m = {.name = launch ? launch->name : NULL};
    const uint64_t places[2] = {(uintptr_t)from, (uintptr_t)to};

    if (!launch || !bytes)
        return;
    m.block.warps = &m.warp;
    m.block.n_warps = 1;
    m.block.launch = launch;
    m.block.base = launch->first_base;
    m.block.floor = launch->floor;
    m.block.n_runs = 1;
    m.warp.known[0] = 1;
    for (unsigned i = 0; i < 2; i++) {
        m.writes = i == 1;
        if (places[i] && is_known(places[i], bytes))
            touch_all(&m, places[i], bytes);
    }
}
