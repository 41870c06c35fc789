/* SPDX-License-Identifier: MIT */
/* Inputs, references and checks of the cases. */
#ifndef LS_BENCH_DATA_H
#define LS_BENCH_DATA_H

#include <stdbool.h>

#include "peer.h"

/* Fills *data with shared anonymous memory, so that processes forked later see it; computes the
 * reference into *want (same size as data->out; NULL when there is no result). False: out of
 * memory. */
bool bench_data_create(enum bench_case c, struct bench_data *data, void **want);
void bench_data_destroy(struct bench_data *data, void *want);

/* Compares data->out with the reference; on a mismatch writes the first one to stderr. */
bool bench_data_check(enum bench_case c, const struct bench_data *data, const void *want);

#endif
