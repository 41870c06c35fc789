/* SPDX-License-Identifier: MIT */
/* The old name of hip_ext.h. */
#ifndef HIP_HCC_H
#define HIP_HCC_H
#include <hip/hip_ext.h>
#endif
