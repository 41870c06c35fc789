/* SPDX-License-Identifier: MIT */
/* Comments of sources that say how an array lies in warps, threads, registers and simd lanes
 * ("register: r1 r0 <-> j3 j2"), or what a pointer points to before and after an offset ("before:
 * shape (32,128), contiguous"). Reads them; knows nothing of the code. docs/review.md describes the
 * notation. */
#ifndef LS_BASE_NOTATION_H
#define LS_BASE_NOTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of the hardware that index bits belong to, the fastest one first. */
enum ls_notation_part {
    LS_NOTATION_SIMD = 0,
    LS_NOTATION_REGISTER,
    LS_NOTATION_THREAD,
    LS_NOTATION_WARP,
    LS_NOTATION_PARTS,
};
enum { LS_NOTATION_MOST_BITS = 12, LS_NOTATION_NAME = 24, LS_NOTATION_DIMS = 8 };

/* A bit of an index of the array: "j3" is bit 3 of j. */
struct ls_notation_bit {
    char index[LS_NOTATION_NAME]; /* "*": copies of the same elements lie here */
    unsigned number;
    bool is_bare; /* a name without a number, as ReIm: that is 0 */
};

struct ls_notation_line {
    bool is_there;
    bool is_unchanged; /* it says so */
    unsigned line;
    uint32_t known; /* a mask of the part's bits that are said; all below n but where the left side
                       names fewer */
    unsigned n;     /* one more than the highest of them */
    struct ls_notation_bit bits[LS_NOTATION_MOST_BITS]; /* by the number of the part's bit */
};

struct ls_notation {
    struct ls_notation_line parts[LS_NOTATION_PARTS];
};

/* A shape with strides in elements: by themselves, or those of an array without gaps. */
struct ls_notation_view {
    unsigned n; /* dimensions; 0: none is said */
    uint64_t shape[LS_NOTATION_DIMS];
    int64_t strides[LS_NOTATION_DIMS];
};

/* An array that a comment describes: "p[i,j,k], shape (16,16,16)". */
struct ls_notation_array {
    char name[LS_NOTATION_NAME];
    char index[LS_NOTATION_DIMS][LS_NOTATION_NAME];
    struct ls_notation_view view;
    unsigned line;
};

enum ls_notation_level { /* what an offset is for */
                         LS_NOTATION_ANY_LEVEL = 0,
                         LS_NOTATION_PER_BLOCK,
                         LS_NOTATION_PER_WARP,
                         LS_NOTATION_PER_THREAD,
};

/* A comment with a notation in it, or with views of a pointer. */
struct ls_notation_comment {
    unsigned first, last; /* lines of the comment */
    unsigned line;        /* the first one of the notation, or of the views */
    char *words;          /* what the comment says in front of it; owned */
    bool has_assignment;  /* else it has views */
    struct ls_notation assignment;
    struct ls_notation_view before, after;
    enum ls_notation_level level;
    unsigned error_line;
    char error[160]; /* "": none */
};

struct ls_notation_file {
    struct ls_notation_comment *comments; /* in the order of lines; owned, as the next ones */
    size_t n_comments;
    struct ls_notation_array *arrays;
    size_t n_arrays;
    char **lines; /* of the text, without comments and the inside of strings */
    size_t n_lines;
};

/* Reads a source. False: out of memory, and nothing is to be freed. */
bool ls_notation_read(const char *text, size_t bytes, struct ls_notation_file *out);
void ls_notation_free(struct ls_notation_file *file);

/* Reads an assignment by itself: lines, or on one line with ';' between its parts. False: *error
 * says why. */
bool ls_notation_parse(const char *text, struct ls_notation *out, char error[160]);
/* Writes it, a part a line and `margin` in front of each. */
void ls_notation_print(const struct ls_notation *n, const char *margin, char *to, size_t bytes);
extern const char *const ls_notation_parts[LS_NOTATION_PARTS];
/* "j3", "ReIm", "*" */
void ls_notation_bit_name(const struct ls_notation_bit *bit, char to[LS_NOTATION_NAME + 12]);
bool ls_notation_is_copy(const struct ls_notation_bit *bit);

/* The last line of what is in braces behind a line, as a function's body; 0: there is none. */
unsigned ls_notation_end_of(const struct ls_notation_file *file, unsigned line);
/* What the words of a comment are about: one of the names, which are variables' without the digits
 * behind or whole; -1: none of them is named. */
int ls_notation_subject(const char *words, const char *const *names, size_t n);

#endif
