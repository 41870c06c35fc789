/* SPDX-License-Identifier: MIT */
/* The command line: options.def. */
#ifndef LS_HIPIFY_OPTIONS_H
#define LS_HIPIFY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct ls_list {
    const char **v; /* owned; strings are borrowed of argv, which is cut at commas */
    size_t n;
};

struct ls_hipify_options {
    const char *program; /* as it was called, without folders */
    const char *output, *output_dir, *stats_file, *stats_format, *files_from;
    char *file_names; /* owned: what files_from holds */
    struct ls_list whitelist, exclude_dirs, exclude_files, defines, includes, files;
    bool in_place, no_backup, no_output, examine, print_stats, print_csv, quiet_warnings;
    bool hip_launches, cuda_launches, dynamic_shared;
    bool roc, miopen, hip_data_types, experimental, no_undocumented, no_undocumented_warnings;
    bool skip_excluded, amap, table, help, version, ignored;
    bool classic_stats;
    bool beside; /* hipify-clang's: the translation of FILE is FILE.hip, not standard output */
    const char *database; /* -p */
    char **compiler;      /* borrowed: options behind --, NULL behind the last; NULL: no -- */
};

/* false: an error, which has been said. */
bool ls_hipify_options_read(struct ls_hipify_options *opt, int argc, char **argv);
void ls_hipify_options_free(struct ls_hipify_options *opt);
void ls_hipify_options_help(const struct ls_hipify_options *opt);
bool ls_list_has(const struct ls_list *list, const char *text, size_t bytes);

#endif
