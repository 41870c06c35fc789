/* SPDX-License-Identifier: MIT */
/* Questions to mangled names (Itanium C++ ABI, 5.1). */
#ifndef LS_IR_MANGLED_H
#define LS_IR_MANGLED_H

#include <stdbool.h>

/* Whether `long double` occurs among the parameter types and template arguments. Names that are not
 * mangled, and what stands behind an expression in template arguments, answer false. */
bool ls_mangled_has_long_double(const char *name);

#endif
