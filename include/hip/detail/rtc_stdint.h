/* SPDX-License-Identifier: MIT */
/* The 64-bit names of <stdint.h> for hiprtc, as AMD's headers define them there. Sources that
 * define them by themselves or include <stdint.h> could not bear these: libhiprtc includes this
 * file for those that lack them. */
#ifndef HIP_DETAIL_RTC_STDINT_H
#define HIP_DETAIL_RTC_STDINT_H

typedef long long int64_t;
typedef unsigned long long uint64_t;
namespace std {
using ::int64_t;
using ::uint64_t;
} // namespace std

#endif
