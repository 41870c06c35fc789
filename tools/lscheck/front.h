/* SPDX-License-Identifier: MIT */
/* What lscheck and lsreview share: options by a table, and running a program that writes records.
 */
#ifndef LS_LSCHECK_FRONT_H
#define LS_LSCHECK_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A row of an option table; offset: of a const char * that gets the argument, or "". */
struct front_option {
    const char *name, *argument, *help;
    size_t offset;
};

struct front {
    const char *name, *what; /* the tool, and what it does, in a sentence */
    const struct front_option *options;
    size_t n_options;
};

void front_help(const struct front *f);
/* Fills in the fields; the index of the program, or -1 after a message. */
int front_options(const struct front *f, int argc, char **argv, void *fields);
/* A number from 0 to 255, or -1. */
long front_exit_code(const char *text);
/* Makes the file of records and tells the program of it, what to check for, and to use the CPU.
 * NULL after a message. */
const char *front_records(const struct front *f, const char *checks);
/* Runs the program, with stderr to a file where log is not NULL; its exit code as a shell gives it.
 */
int front_run(const struct front *f, char **argv, const char *log);
/* What malloc and its like return; ends the process where it is NULL. */
void *front_must(void *p);

/* A place in a source, of a trace the innermost first. */
struct frame {
    char *function, *file;
    unsigned line, column;
};

/* ---- sarif.c ---- */

struct sarif_result {
    const char *rule, *text;
    bool is_error; /* else a warning */
    const struct frame *frames;
    size_t n_frames;
    uint64_t count; /* times that it was seen */
};

void put_sarif(FILE *to, const char *tool, const struct sarif_result *all, size_t n);

/* ---- text.c ---- */

/* The inside of a string of JSON, and a whole one. Bytes that are no UTF-8 become question marks.
 */
void put_text(FILE *to, const char *text);
void put_string(FILE *to, const char *text);
void put_member(FILE *to, const char *name, const char *text);

#endif
