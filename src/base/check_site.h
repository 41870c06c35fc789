/* SPDX-License-Identifier: MIT */
/* What code made with checks tells of its accesses: a contract between the compiler, which writes
 * the sites into the code, and who runs it. */
#ifndef LS_BASE_CHECK_SITE_H
#define LS_BASE_CHECK_SITE_H

#include <stdint.h>

/* Bits of the compiler's option `checks` and of who runs the code. */
enum ls_checks {
    LS_CHECK_MEMORY = 1u,  /* accesses outside of memory, or misaligned */
    LS_CHECK_INIT = 2u,    /* reads of what nobody wrote */
    LS_CHECK_RACE = 4u,    /* accesses of several threads that nothing orders */
    LS_CHECK_SYNC = 8u,    /* operations between threads that not all come to who should */
    LS_CHECK_LANES = 16u,  /* races between threads of one warp, if it does not run in step */
    LS_CHECK_BARRIERS = 128u, /* barriers that the run did not need */
    LS_CHECK_REVIEW = 32u, /* nothing is wrong: what accesses cost on a GPU. Goes alone */
    LS_CHECK_NOTES = 64u,  /* whether comments say where elements of arrays lie. Goes alone */
};
#define LS_CHECK_REVIEW_NAME "review"    /* in LOCKSTEP_CHECK */
#define LS_CHECK_NOTES_NAME  "notation"
#define LS_CHECK_LEAKS       0x80000000u /* memory that is never freed; no matter of code */
#define LS_CHECK_API         0x20000000u /* API calls that fail; the same */
#define LS_CHECK_HOST        0x10000000u /* races with the host, beside RACE; the same */
/* With one of these the code tells of accesses at all. */
#define LS_CHECK_ACCESSES                                                                          \
    (LS_CHECK_MEMORY | LS_CHECK_OBSERVES)
/* With one of these the code tells of all accesses, else of those that no window shows. */
#define LS_CHECK_OBSERVES                                                                          \
    (LS_CHECK_INIT | LS_CHECK_RACE | LS_CHECK_LANES | LS_CHECK_BARRIERS | LS_CHECK_REVIEW)

enum ls_check_kind {
    LS_CHECK_NO_KIND = 0,
    LS_CHECK_LOAD,
    LS_CHECK_STORE,
    LS_CHECK_ATOMIC, /* both */
    /* No accesses: */
    LS_CHECK_BARRIER, /* the block's threads wait for each other; with RACE, SYNC and LANES */
    LS_CHECK_FENCE,   /* with RACE */
    /* With SYNC, but LS_CHECK_MASK with LANES, too: */
    LS_CHECK_END,     /* threads have ended */
    LS_CHECK_MASK,    /* lanes meet; in place of a place: the mask of those that should */
    LS_CHECK_SHUFFLE, /* not told: what a lane's value is read by another one */
    LS_CHECK_USE, /* of what may come from lanes that were not there: 0, or 1 + the site's number,
                     which is its slot */
    LS_CHECK_UNSET,  /* with INIT, a read of a variable of the thread: 0, or bytes were not written;
                        or only named by LS_CHECK_USE */
    LS_CHECK_CALL,   /* with MEMORY, through a pointer: told where no function is; the place: that
                        pointer */
    /* With REVIEW: */
    /* A block of instructions: bytes is how many, room and from are operations of arithmetic in
     * single and in double precision. In place of a place nothing. */
    LS_CHECK_STEP,
    LS_CHECK_DOUBLE, /* double precision by accident, the same; variable: what brought it there */
    /* With NOTES: */
    LS_CHECK_NOTE, /* variables of which a comment says something: `bytes` numbers of each lane, one
                      behind the other, say where they came from (LS_NOTE_...). variable: lines of
                      what is known of it, a name, a tab and a value each */
};
/* Of ls_check_site.flags: */
#define LS_CHECK_SYNCHRONISES 1u /* atomic or volatile */
#define LS_CHECK_ACQUIRES     2u
#define LS_CHECK_RELEASES     4u
#define LS_CHECK_SAME         8u /* all threads store the same value */
/* Of a read of shared memory: nobody writes to it between the barriers around, if all threads of
 * the block come to the same ones. */
#define LS_CHECK_QUIET  8u
#define LS_CHECK_MOVES  16u  /* what is loaded is stored elsewhere, and nothing else */
#define LS_CHECK_ITSELF 16u  /* of a shuffle: each lane reads itself */
#define LS_CHECK_ALIKE  16u  /* of a store: all lanes of a warp store the same value */
#define LS_CHECK_GRID   32u  /* a barrier of the whole grid */
#define LS_CHECK_NARROW 64u  /* an atomic operation or fence for threads of the block alone */
#define LS_CHECK_SIZED  128u /* made of one whose length is computed (check/sized.c) */

/* Of ls_check_site.more: */
#define LS_CHECK_EACH 2u /* of a note: in all blocks */
#define LS_CHECK_VOLATILE 4u /* and no flag: it orders nothing, and must be ordered */
#define LS_CHECK_LONE 1u /* an atomic operation of a kernel where these order nothing else */

/* Where an access goes, and what its number says. */
enum ls_check_space {
    LS_CHECK_NO_SPACE = 0,
    LS_CHECK_ANYWHERE, /* an address */
    LS_CHECK_LDS,      /* the offset in the block's shared memory; LS_CHECK_NOWHERE: none */
    LS_CHECK_PRIVATE,  /* this and the next two: the offset in the variable */
    LS_CHECK_ARGUMENT, /* a structure that the kernel was given by value */
    LS_CHECK_CONSTANT, /* a table in the code */
};

/* Where bytes of a variable came from (LS_CHECK_NOTES): the address in memory, or below
 * LS_NOTE_NOWHERE: from none. What was computed of an element alone has all of its bytes from
 * there, with this bit and the element's size. */
enum { LS_NOTE_NOWHERE = 4096, LS_NOTE_SIZE_AT = 48, LS_NOTE_DERIVED_AT = 56 };
#define LS_NOTE_ADDRESS (((uint64_t)1 << LS_NOTE_SIZE_AT) - 1)
#define LS_NOTE_DERIVED ((uint64_t)1 << LS_NOTE_DERIVED_AT)
/* So far behind the start of a block's shared memory stand 8 bytes for each of its bytes. */
enum { LS_NOTE_SHARED_AT = 66048, LS_NOTE_SHARED_BYTES = 8 * 65536 };

/* One access in the source, as often as it was inlined. */
struct ls_check_site {
    uint8_t kind, space, flags;
    uint8_t align;  /* bytes, that the access needs */
    uint32_t slot;  /* of the windows (LS_CHECK_SLOTS) */
    uint32_t bytes; /* that one thread accesses; LS_CHECK_MANY: behind the lanes' places stand the
                       numbers of bytes */
    uint32_t more;  /* flags */
    /* The variable, where it is known: bytes and, in shared memory, its offset. room 0: unknown. */
    uint32_t room, from;
    /* Texts, by their distance from this structure; 0: unknown. The variable's name, and where the
     * access stands: lines of "function<tab>file<tab>line<tab>column", the innermost first. */
    int32_t variable, trace;
};

/* A part of memory that accesses of one site may go to, as far as they have been looked at:
 * [base, base + bytes). */
struct ls_check_window {
    uint64_t base, bytes;
};
enum { LS_CHECK_SLOTS = 128 };
/* Behind the windows there are as many of memory that nothing needs to be told of: none of the
 * launch's accesses there can race, and all of it was written. base: 0, nobody has asked yet;
 * LS_CHECK_ASKED: there is none. */
enum { LS_CHECK_ASKED = 1 };
/* With REVIEW, in place of windows: numbers that the code counts down, by a site's slot. It tells
 * of the access that brings one to 0. */
enum { LS_REVIEW_SLOTS = 512 };

/* Lines of memory that are looked at together, by LS_CHECK_RACE: about each as many bytes, of which
 * the second 8 say which of its words reads need not be told of, as others read them, too: a mask,
 * and above it when that holds (struct ls_check_quick). */
enum { LS_CHECK_LINE_BYTES = 128, LS_CHECK_READERS_AT = 8, LS_CHECK_MOST_WARPS = 32 };

/* What is known of a block, as far as code looks at it by itself. */
struct ls_check_quick {
    uint64_t block;   /* which one that is */
    uint64_t simple;  /* the same while LS_CHECK_RACE is on and barriers alone order its warps: then
                         the rest is right; or LS_CHECK_NO_BLOCK */
    uint64_t reading; /* when words of the arena are known to others, << 32 */
    uint64_t lines, lds_bytes;            /* about the block's shared memory */
    uint32_t passed[LS_CHECK_MOST_WARPS]; /* barriers, by warp: nothing else needs to know of one */
    uint32_t lds_reading;                 /* the same of shared memory, but for the warp's
                                             barriers */
};
#define LS_CHECK_NO_BLOCK UINT64_MAX
#define LS_CHECK_MANY     UINT32_MAX
/* Memory of devices lies in an arena; so far behind it a byte for each of its bytes is 1 if that
 * was written. */
#define LS_CHECK_ARENA_BYTES ((uint64_t)1 << 40)
/* The skew keeps what is about memory out of the sets of the cache that the memory itself takes. */
#define LS_CHECK_SKEW       ((uint64_t)27 * 64)
#define LS_CHECK_WRITTEN_AT (LS_CHECK_ARENA_BYTES + LS_CHECK_SKEW)
#define LS_CHECK_TOUCHED_AT (2 * LS_CHECK_WRITTEN_AT) /* and about lines */
enum { LS_CHECK_SPARE_BYTES = 4096 };
/* Lanes of a warp: the first, how many, and whether they all go to one place. */
#define LS_CHECK_ROW(first, n, one) ((uint32_t)(first) | (uint32_t)(n) << 8 | (uint32_t)(one) << 16)
/* In place of an offset in shared memory: the lane makes no access. */
#define LS_CHECK_NOWHERE 0x80000000u

#endif
