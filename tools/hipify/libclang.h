/* SPDX-License-Identifier: MIT */
/* libclang-19, opened at run time: its structures and the functions of libclang.def. */
#ifndef LS_HIPIFY_LIBCLANG_H
#define LS_HIPIFY_LIBCLANG_H

#include <stdbool.h>

struct ls_cx_cursor {
    int kind, extra;
    const void *data[3];
};
struct ls_cx_location {
    const void *data[2];
    unsigned value;
};
struct ls_cx_range {
    const void *data[2];
    unsigned begin, end;
};
struct ls_cx_string {
    const void *data;
    unsigned flags;
};
struct ls_cx_type {
    int kind;
    void *data[2];
};
struct ls_cx_unsaved {
    const char *path, *text;
    unsigned long bytes;
};
struct ls_cx_ranges {
    unsigned n;
    struct ls_cx_range *v;
};

enum { LS_CX_BREAK, LS_CX_CONTINUE, LS_CX_RECURSE };
typedef int (*ls_cx_visitor)(struct ls_cx_cursor cursor, struct ls_cx_cursor parent, void *user);

enum {
    LS_CX_RECORD = 0x1,      /* what the preprocessor did */
    LS_CX_KEEP_GOING = 0x200 /* behind fatal errors, too */
};

enum {
    LS_CX_ENUM = 5,
    LS_CX_PARAMETER = 10,
    LS_CX_LINKAGE = 23,
    LS_CX_TYPE_REF = 43,
    LS_CX_TEMPLATE_REF = 45,
    LS_CX_NAMESPACE_REF = 46,
    LS_CX_OVERLOADED_REF = 49,
    LS_CX_DECL_REF = 101,
    LS_CX_MEMBER_REF = 102,
    LS_CX_UNIT = 350,
    LS_CX_ERROR = 3 /* severity of a diagnostic */
};

struct ls_cx {
#define LS_CX(result, name, parameters) result(*name) parameters;
#include "libclang.def"
#undef LS_CX
};

/* false: it is not there, or lacks a function, which is said. */
bool ls_cx_open(struct ls_cx *cx);

#endif
