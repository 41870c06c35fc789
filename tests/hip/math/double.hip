/* SPDX-License-Identifier: MIT */
/* The rows of single.hip in double. */
#define TEST_DOUBLE
#include "single.hip"
