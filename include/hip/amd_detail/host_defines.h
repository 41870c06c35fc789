/* SPDX-License-Identifier: MIT */
/* The qualifiers' header by the name that AMD's libraries (rocThrust) include it by. */
#ifndef HIP_AMD_DETAIL_HOST_DEFINES_H
#define HIP_AMD_DETAIL_HOST_DEFINES_H

#include <hip/detail/host_defines.h>

#endif
