/* SPDX-License-Identifier: MIT */
/* What lanes ask of the host: traps, assertions, memory, printf.
 *
 * printf arrives in pieces: begin, then strings and groups of 64-bit values in order, the format
 * first. The pieces are kept until the last, then formatted into the runner's text.
 * With -mprintf-kind=buffered clang writes a frame into room that it asks for: a word, whose lowest
 * bits say where it goes (1: stderr, which HIP has not) and whether a hash of the format follows
 * (2) or the format itself, the others how long the frame is; then values of 64 bits and strings,
 * which end at multiples of 8. */
#include <ctype.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/log.h"
#include "check/check.h"
#include "device/cpu/cpu_priv.h"

#define FLUSH_BYTES 65536u

struct piece {
    uint64_t value;
    char *text; /* owned; NULL = a value, or a null string */
    bool is_text;
};

struct ls_printf_msg {
    struct ls_printf_msg *next;
    struct piece *pieces; /* owned */
    size_t n, cap;
};

struct ls_printf_frame {
    struct ls_printf_frame *next;
    const char *formats; /* the formats that LS_SVC_PRINTF_ALLOC got */
    uint32_t bytes;
    char data[]; /* 4 bytes behind a multiple of 8, as clang's code expects */
};
#define FRAME_HASHED    2u
#define FRAME_SHIFT     2u
#define FRAMES_RESERVED 8u /* bytes of a launch's room that are not given out */

struct ls_runner *
ls_ctx_runner(const struct ls_cpu_ctx *ctx)
{
    const struct ls_cpu_warp *w = ctx->device;

    if (w)
        return w->runner;
    return (struct ls_runner *)(void *)((char *)(uintptr_t)ctx - offsetof(struct ls_runner, ctx));
}

static void
out_add(struct ls_runner *r, const char *text, size_t bytes)
{
    if (bytes == 0)
        return;
    if (r->out_bytes + bytes > r->out_cap) {
        size_t cap = (r->out_bytes + bytes) * 2 + 256;
        char *more = realloc(r->out, cap);

        if (!more)
            return;
        r->out = more;
        r->out_cap = cap;
    }
    memcpy(r->out + r->out_bytes, text, bytes);
    r->out_bytes += bytes;
}

void
ls_service_flush(struct ls_runner *r)
{
    if (r->out_bytes == 0)
        return;
    if (r->sched->dev->print)
        r->sched->dev->print(r->sched->dev, r->out, r->out_bytes);
    else
        fwrite(r->out, 1, r->out_bytes, stdout);
    r->out_bytes = 0;
}

static void
msg_free(struct ls_printf_msg *msg)
{
    for (size_t i = 0; i < msg->n; i++)
        free(msg->pieces[i].text);
    free(msg->pieces);
    free(msg);
}

void
ls_service_abandon(struct ls_runner *r)
{
    while (r->msgs) {
        struct ls_printf_msg *next = r->msgs->next;

        msg_free(r->msgs);
        r->msgs = next;
    }
}

static void
msg_add(struct ls_printf_msg *msg, struct piece piece)
{
    if (msg->n == msg->cap) {
        size_t cap = msg->cap * 2 + 8;
        struct piece *more = realloc(msg->pieces, cap * sizeof(*more));

        if (!more) {
            free(piece.text);
            return;
        }
        msg->pieces = more;
        msg->cap = cap;
    }
    msg->pieces[msg->n++] = piece;
}

/* Formatting */

struct fmt_state {
    struct ls_runner *r;
    const struct ls_printf_msg *msg; /* the message, or NULL for a frame: */
    const char *at, *end;            /* rest of the frame */
    size_t next;                     /* number of the next piece of the message */
    int n_written;
};

static const char *
take_frame_text(struct fmt_state *s)
{
    const char *text = s->at;
    size_t left = (size_t)(s->end - text), n = strnlen(text, left);

    if (n == left)
        return NULL;
    n = (n + 8) / 8 * 8;
    s->at += n < left ? n : left;
    return text;
}

static struct piece
take(struct fmt_state *s)
{
    struct piece p = {.value = 0};

    if (!s->msg && s->end - s->at >= 8) {
        memcpy(&p.value, s->at, 8);
        s->at += 8;
        return p;
    }
    if (s->msg && s->next < s->msg->n)
        return s->msg->pieces[s->next++];
    return p;
}

static const char *
take_text(struct fmt_state *s)
{
    return s->msg ? take(s).text : take_frame_text(s);
}

static void
emit(struct fmt_state *s, const char *text, size_t n)
{
    out_add(s->r, text, n);
    s->n_written += (int)n;
}

static void
emit_padded(struct fmt_state *s, const char *flags, int width, int prec, const char *text)
{
    size_t n = prec >= 0 ? strnlen(text, (size_t)prec) : strlen(text);
    size_t pad = width > 0 && (size_t)width > n ? (size_t)width - n : 0;
    bool left = strchr(flags, '-') != NULL;

    for (size_t i = 0; !left && i < pad; i++)
        emit(s, " ", 1);
    emit(s, text, n);
    for (size_t i = 0; left && i < pad; i++)
        emit(s, " ", 1);
}

/* Prints through the C library with a rebuilt specification; long results get their own buffer. */
#define EMIT_NUMBER(s, spec, width, prec, value)                                                   \
    do {                                                                                           \
        char small_[128], *big_ = NULL;                                                            \
        int n_ = snprintf(small_, sizeof(small_), spec, width, prec, value);                       \
        if (n_ >= (int)sizeof(small_) && (big_ = malloc((size_t)n_ + 1)) != NULL)                  \
            snprintf(big_, (size_t)n_ + 1, spec, width, prec, value);                              \
        if (n_ > 0 && (big_ || n_ < (int)sizeof(small_)))                                          \
            emit(s, big_ ? big_ : small_, (size_t)n_);                                             \
        free(big_);                                                                                \
    } while (0)

static uint64_t
narrow(uint64_t v, const char *length, bool is_signed)
{
    if (strcmp(length, "hh") == 0)
        return is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
    if (strcmp(length, "h") == 0)
        return is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
    if (*length == 0)
        return is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
    return v;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
emit_conversion(struct fmt_state *s, char conv, const char *flags, int width, int prec,
                const char *length)
{
    struct piece p;
    const char *string;
    char spec[24];
    double d;

    switch (conv) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        p = take(s);
        snprintf(spec, sizeof(spec), "%%%s*.*ll%c", flags, conv);
        EMIT_NUMBER(s, spec, width, prec,
                    (long long)narrow(p.value, length, conv == 'd' || conv == 'i'));
        break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        p = take(s);
        memcpy(&d, &p.value, sizeof(d));
        snprintf(spec, sizeof(spec), "%%%s*.*%c", flags, conv);
        EMIT_NUMBER(s, spec, width, prec, d);
        break;
    case 'c': {
        char text[2] = {(char)take(s).value, 0};

        if (text[0])
            emit_padded(s, flags, width, -1, text);
        else
            emit(s, text, 1);
        break;
    }
    case 's':
        string = take_text(s);
        emit_padded(s, flags, width, prec,
                    string ? string : ""); /* a null string prints nothing, as on AMD */
        break;
    case 'p': {
        char text[32];

        p = take(s);
        if (p.value)
            snprintf(text, sizeof(text), "0x%llx", (unsigned long long)p.value);
        else
            snprintf(text, sizeof(text), "(nil)");
        emit_padded(s, flags, width, -1, text);
        break;
    }
    case 'n':
        take(s);
        break;
    default:
        break;
    }
}
#pragma GCC diagnostic pop

static int
star_or_number(struct fmt_state *s, const char **f)
{
    int n = 0;

    if (**f == '*') {
        (*f)++;
        return (int)take(s).value;
    }
    for (; isdigit((unsigned char)**f); (*f)++)
        n = n < 100000 ? n * 10 + (**f - '0') : n;
    return n;
}

static int
format(struct fmt_state *s, const char *f)
{

    if (!f)
        return -1;
    while (*f) {
        size_t plain = strcspn(f, "%");
        const char *start = f + plain;
        char flags[8] = "", length[3] = "";
        size_t n_flags = 0, n_length = 0;
        int width, prec = -1;

        emit(s, f, plain);
        if (!*start)
            break;
        f = start + 1;
        if (*f == '%') {
            emit(s, f++, 1);
            continue;
        }
        for (; *f && strchr("-+ #0'", *f); f++)
            if (n_flags < 6 && !strchr(flags, *f))
                flags[n_flags++] = *f;
        width = star_or_number(s, &f);
        if (width < 0) {
            width = -width;
            if (n_flags < 7)
                flags[n_flags++] = '-';
        }
        if (*f == '.') {
            f++;
            prec = star_or_number(s, &f);
        }
        for (; *f && strchr("hlLqjzt", *f); f++)
            if (n_length < 2)
                length[n_length++] = *f;
        if (!*f || !strchr("diouxXaAeEfFgGcspn", *f)) {
            emit(s, start, (size_t)(f - start)); /* an unknown conversion is printed as it is */
            continue;
        }
        emit_conversion(s, *f++, flags, width, prec, length);
    }
    if (s->r->out_bytes >= FLUSH_BYTES)
        ls_service_flush(s->r);
    return s->n_written;
}

static struct ls_printf_msg *
find_msg(struct ls_runner *r, uint64_t desc)
{
    struct ls_printf_msg *m = r->msgs;

    while (m && (uint64_t)(uintptr_t)m != desc)
        m = m->next;
    return m;
}

static uint64_t
end_msg(struct ls_runner *r, struct ls_printf_msg *msg)
{
    struct ls_printf_msg **at = &r->msgs;
    struct fmt_state s = {.r = r, .msg = msg};
    int n = format(&s, take_text(&s));

    while (*at != msg)
        at = &(*at)->next;
    *at = msg->next;
    msg_free(msg);
    return (uint64_t)(int64_t)n;
}

static uint64_t
printf_begin(struct ls_runner *r)
{
    struct ls_printf_msg *msg = calloc(1, sizeof(*msg));

    if (!msg)
        return 0;
    msg->next = r->msgs;
    r->msgs = msg;
    return (uint64_t)(uintptr_t)msg;
}

static uint64_t
printf_string(struct ls_runner *r, const uint64_t *args)
{
    struct ls_printf_msg *msg = find_msg(r, args[0]);
    const char *src = (const char *)(uintptr_t)args[1];
    size_t n = (size_t)args[2];
    struct piece p = {.is_text = true, .value = args[1]};

    if (!msg)
        return 0;
    if (src && n <= (1u << 20)) {
        p.text = malloc(n + 1);
        if (p.text) {
            char *text = p.text;

            p.text = NULL;
            msg_add(msg, p); /* added before the copy, so that a fault during it leaks nothing */
            memset(text, 0, n + 1);
            msg->pieces[msg->n - 1].text = text;
            memcpy(text, src, n);
        }
    } else {
        msg_add(msg, p);
    }
    return args[3] ? end_msg(r, msg) : args[0];
}

static uint64_t
printf_args(struct ls_runner *r, const uint64_t *args)
{
    struct ls_printf_msg *msg = find_msg(r, args[0]);

    if (!msg)
        return 0;
    for (uint64_t i = 0; i < args[1] && i < 7; i++)
        msg_add(msg, (struct piece){.value = args[2 + i]});
    return args[9] ? end_msg(r, msg) : args[0];
}

/* The format with the hash, or NULL. */
static const char *
find_format(const char *formats, uint64_t hash)
{
    for (; *formats; formats += strlen(formats) + 1) {
        char *end;

        if (strtoull(formats, &end, 16) == hash && *end == ',')
            return end + 1;
    }
    return NULL;
}

static uint64_t
printf_alloc(struct ls_runner *r, const uint64_t *args)
{
    size_t limit = atomic_load(&r->sched->dev->printf_bytes), bytes = (uint32_t)args[0];
    size_t taken = atomic_load(&ls_cpu_of(r->work)->text_bytes);
    struct ls_printf_frame *f;

    do
        if (limit < FRAMES_RESERVED || bytes > limit - FRAMES_RESERVED ||
            taken > limit - FRAMES_RESERVED - bytes)
            return 0;
    while (!atomic_compare_exchange_weak(&ls_cpu_of(r->work)->text_bytes, &taken, taken + bytes));
    f = calloc(1, sizeof(*f) + bytes);
    if (!f)
        return 0;
    f->formats = (const char *)(uintptr_t)args[1];
    f->bytes = (uint32_t)bytes;
    if (!r->frames)
        r->frames_end = &r->frames;
    *r->frames_end = f;
    r->frames_end = &f->next;
    ls_check_allow(f->data, bytes, "what printf writes to");
    return (uint64_t)(uintptr_t)f->data;
}

static void
print_frame(struct ls_runner *r, const struct ls_printf_frame *f)
{
    struct fmt_state s = {.r = r, .at = f->data + sizeof(uint32_t), .end = f->data + f->bytes};
    uint32_t control;

    memcpy(&control, f->data, sizeof(control));
    if (control >> FRAME_SHIFT !=
        f->bytes) /* a fault stopped the kernel before it had written the frame */
        return;
    format(&s, control & FRAME_HASHED ? find_format(f->formats, take(&s).value) : take_text(&s));
}

void
ls_service_print_frames(struct ls_runner *r)
{
    while (r->frames) {
        struct ls_printf_frame *f = r->frames;

        r->frames = f->next;
        print_frame(r, f);
        ls_check_forbid(f->data);
        free(f);
    }
}

static void
fail_assert(struct ls_runner *r, const uint64_t *args)
{
    const char *text = (const char *)(uintptr_t)args[0], *file = (const char *)(uintptr_t)args[1];
    const char *func = (const char *)(uintptr_t)args[3];

    snprintf(r->fault.text, sizeof(r->fault.text), "%s:%u: %s: Device-side assertion `%s' failed.",
             file ? file : "?", (unsigned)args[2], func ? func : "?", text ? text : "?");
    r->fault.kind = LS_FAULT_ASSERT;
}

/* Launches a graph for the work that the kernel is, or is a part of. */
static hipError_t
graph_launch(struct ls_work *work, const uint64_t *args)
{
    while (ls_cpu_of(work)->graph)
        work = ls_cpu_of(work)->graph;
    return work->launch
               ? work->launch(work, (void *)(uintptr_t)args[0], (hipStream_t)(uintptr_t)args[1])
               : hipErrorNotSupported;
}

static void *
heap_malloc(struct ls_device *dev, size_t bytes)
{
    void *p = malloc((bytes ? bytes : 1) + (ls_checks() ? LS_CHECK_GAP : 0));

    ls_check_allow(p, bytes, "memory that a kernel got by malloc");
    atomic_fetch_add_explicit(&dev->heap_bytes, (long)malloc_usable_size(p), memory_order_relaxed);
    return p;
}

static void
heap_free(struct ls_device *dev, void *p)
{
    ls_check_forbid(p);
    atomic_fetch_sub_explicit(&dev->heap_bytes, (long)malloc_usable_size(p), memory_order_relaxed);
    free(p);
}

uint64_t
ls_cpu_service(struct ls_cpu_ctx *ctx, uint32_t service, uint32_t lane, const uint64_t *args)
{
    struct ls_runner *r = ls_ctx_runner(ctx);

    switch ((enum ls_cpu_service)service) {
    case LS_SVC_TRAP:
        if (args[0] == LS_TRAP_DEBUG) {
            ls_log(LS_LOG_WARN, "debug trap in kernel %s", r->work->kernel.source->display_name);
            return 0;
        }
        r->fault = (struct ls_fault){.kind = args[0] == LS_TRAP_SPIN    ? LS_FAULT_SPIN
                                             : args[0] == LS_TRAP_STACK ? LS_FAULT_STACK
                                             : args[0] == LS_TRAP_ABORT ? LS_FAULT_ABORT
                                                                        : LS_FAULT_TRAP,
                                     .lane = lane,
                                     .ctx = ctx};
        if (r->fault.kind == LS_FAULT_SPIN)
            ls_cpu_check_stuck(r, ctx);
        ls_runner_fail(r);
    case LS_SVC_ASSERT:
        r->fault = (struct ls_fault){.lane = lane, .ctx = ctx};
        fail_assert(r, args);
        ls_runner_fail(r);
    case LS_SVC_MALLOC:
        return (uint64_t)(uintptr_t)heap_malloc(r->sched->dev, (size_t)args[0]);
    case LS_SVC_FREE:
        heap_free(r->sched->dev, (void *)(uintptr_t)args[0]);
        return 0;
    case LS_SVC_PRINTF_BEGIN:
        return printf_begin(r);
    case LS_SVC_PRINTF_ARGS:
        return printf_args(r, args);
    case LS_SVC_PRINTF_STRING:
        return printf_string(r, args);
    case LS_SVC_PRINTF_ALLOC:
        return printf_alloc(r, args);
    case LS_SVC_MULTI_GRID:
        return ls_cpu_multi_grid(r, ctx, args[0]);
    case LS_SVC_GRAPH_LAUNCH:
        return (uint64_t)graph_launch(r->work, args);
    case LS_SVC_NONE:
    case LS_SVC_COUNT:
    default:
        ls_log(LS_LOG_ERROR, "kernel %s asks for unknown service %u",
               r->work->kernel.source->display_name, service);
        r->fault = (struct ls_fault){.kind = LS_FAULT_TRAP, .lane = lane, .ctx = ctx};
        ls_runner_fail(r);
    }
}
