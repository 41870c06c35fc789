/* SPDX-License-Identifier: MIT */
/* The HIP level that these headers and the runtime speak: 6.3.0. */
#ifndef HIP_VERSION_H
#define HIP_VERSION_H

#define HIP_VERSION_MAJOR      6
#define HIP_VERSION_MINOR      3
#define HIP_VERSION_PATCH      0
#define HIP_VERSION_GITHASH    "0"
#define HIP_VERSION_BUILD_ID   0
#define HIP_VERSION_BUILD_NAME   ""
#define HIP_VERSION \
    (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)
#define __HIP_HAS_GET_PCH 0

/* Tells Lockstep's headers from AMD's. */
#define HIP_LOCKSTEP 1

#endif
