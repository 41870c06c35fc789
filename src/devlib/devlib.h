/* SPDX-License-Identifier: MIT */
/* Types of device code in C: no libc header fits the amdgcn target. */
#ifndef LS_DEVLIB_H
#define LS_DEVLIB_H

typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;

#define bool       _Bool
#define true       1
#define false      0
#define INT32_MAX  2147483647
#define INT32_MIN  (-INT32_MAX - 1)
#define UINT32_MAX 4294967295u

#endif
