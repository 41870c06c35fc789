/* SPDX-License-Identifier: MIT */
/* For hiprtc, in front of our own headers' text: names of the C and C++ libraries as macros, so
 * that no header of these is needed and sources may define the names themselves. rtc_names_end.h
 * takes them away again; pairs nest. */

#pragma push_macro("std")
#pragma push_macro("NULL")
#pragma push_macro("int8_t")
#pragma push_macro("int16_t")
#pragma push_macro("int32_t")
#pragma push_macro("int64_t")
#pragma push_macro("uint8_t")
#pragma push_macro("uint16_t")
#pragma push_macro("uint32_t")
#pragma push_macro("uint64_t")
#pragma push_macro("uintptr_t")
#pragma push_macro("CHAR_BIT")
#pragma push_macro("INT_MAX")
#pragma push_macro("UINT_MAX")
#define std       __hip_internal
#define NULL      nullptr
#define int8_t    __INT8_TYPE__
#define int16_t   __INT16_TYPE__
#define int32_t   __INT32_TYPE__
#define int64_t   __INT64_TYPE__
#define uint8_t   __UINT8_TYPE__
#define uint16_t  __UINT16_TYPE__
#define uint32_t  __UINT32_TYPE__
#define uint64_t  __UINT64_TYPE__
#define uintptr_t __UINTPTR_TYPE__
#define CHAR_BIT  __CHAR_BIT__
#define INT_MAX   __INT_MAX__
#define UINT_MAX  (__INT_MAX__ * 2u + 1u)

