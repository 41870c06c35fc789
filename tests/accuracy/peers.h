/* SPDX-License-Identifier: MIT */
/* SLEEF's AVX-512 functions over arrays, for comparison of speed. */
#ifndef LS_TESTS_ACCURACY_PEERS_H
#define LS_TESTS_ACCURACY_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = f(x[i], y[i]); n is a multiple of 16. */
typedef void (*ls_sleef_fn)(void *out, const void *x, const void *y, int n);

/* NULL: SLEEF has none of that name, or it or AVX-512 isn't here. */
ls_sleef_fn ls_sleef_find(const char *name, int is_double);

#ifdef __cplusplus
}
#endif

#endif
