/* SPDX-License-Identifier: MIT */
/* Exact values: each function of n arguments by MPFR, rounded to long double. */
#ifndef LS_TESTS_ACCURACY_REFERENCE_H
#define LS_TESTS_ACCURACY_REFERENCE_H

#ifdef __cplusplus
extern "C" {
#endif

/* x[0..n): the arguments; got: a value near the result, where an iteration starts; bits: precision
 * of the format (24, 53), by which nextafter goes. */
typedef long double (*ls_reference_fn)(const double *x, double got, int bits);

/* The reference of that name, or NULL. */
ls_reference_fn ls_reference_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
