/* SPDX-License-Identifier: MIT */
/* The table of device builtins in memory: a sorted index over intrinsics.def and the search by
 * name. */
#include "intrin/intrinsics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "intrin/row_data.h"


#define LS_ROW(row_name, row_shape, row_flags, row_lower, row_data)                                \
    {.name = row_name,                                                                             \
     .shape = LS_IS_##row_shape,                                                                   \
     .flags = row_flags, .data = row_data},
static const struct ls_intrin rows[] = {
#include "intrin/intrinsics.def"
};
#undef LS_ROW

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Longest name that is searched by prefix; no intrinsic with its type suffixes comes near. */
#define NAME_MAX_BYTES 512

static const struct ls_intrin *sorted[N_ROWS];
static pthread_once_t sorted_once = PTHREAD_ONCE_INIT;

static int
row_compare(const void *a, const void *b)
{
    const struct ls_intrin *const *x = a;
    const struct ls_intrin *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void
rows_sort(void)
{
    for (size_t i = 0; i < N_ROWS; i++)
        sorted[i] = &rows[i];
    qsort(sorted, N_ROWS, sizeof(sorted[0]), row_compare);
}

/* The row whose name is the first `length` bytes of `name`, or NULL. */
static const struct ls_intrin *
row_search(const char *name, size_t length)
{
    size_t lo = 0, hi = N_ROWS;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strncmp(name, sorted[mid]->name, length);
        if (order == 0)
            order = sorted[mid]->name[length] == '\0' ? 0 : -1;
        if (order == 0)
            return sorted[mid];
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const struct ls_intrin *
ls_intrin_find(const char *name)
{
    size_t length = strlen(name);

    /* Names of all rows start with one of these; most called functions do not. */
    if (strncmp(name, "llvm.", 5) != 0 && strncmp(name, "ls.", 3) != 0 &&
        strncmp(name, "__", 2) != 0)
        return NULL;
    if (length == 0 || length > NAME_MAX_BYTES)
        return NULL;
    pthread_once(&sorted_once, rows_sort);
    const struct ls_intrin *row = row_search(name, length);
    /* No row has the whole name: look for prefixes that end in '.', longest first. */
    for (size_t n = length - 1; !row && n > 5; n--) {
        if (name[n - 1] == '.')
            row = row_search(name, n);
    }
    return row;
}

const struct ls_intrin *
ls_intrin_next(const struct ls_intrin *row)
{
    row = row ? row + 1 : rows;
    return row < rows + N_ROWS ? row : NULL;
}

unsigned
ls_intrin_number(const struct ls_intrin *row)
{
    return (unsigned)(row - rows);
}

const char *
ls_ir_callee_name(LLVMValueRef call)
{
    LLVMValueRef fn = LLVMGetCalledValue(call);
    size_t len;

    return fn && LLVMIsAFunction(fn) ? LLVMGetValueName2(fn, &len) : NULL;
}

bool
ls_intrin_is_clock(LLVMValueRef i)
{
    const char *name = LLVMIsACallInst(i) ? ls_ir_callee_name(i) : NULL;
    const struct ls_intrin *row = name ? ls_intrin_find(name) : NULL;

    return row && row->flags & LS_IF_CLOCK;
}
