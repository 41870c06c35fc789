/* SPDX-License-Identifier: MIT */
/* The end of rtc_names.h. */

#pragma pop_macro("UINT_MAX")
#pragma pop_macro("INT_MAX")
#pragma pop_macro("CHAR_BIT")
#pragma pop_macro("uintptr_t")
#pragma pop_macro("uint64_t")
#pragma pop_macro("uint32_t")
#pragma pop_macro("uint16_t")
#pragma pop_macro("uint8_t")
#pragma pop_macro("int64_t")
#pragma pop_macro("int32_t")
#pragma pop_macro("int16_t")
#pragma pop_macro("int8_t")
#pragma pop_macro("NULL")
#pragma pop_macro("std")
