/* SPDX-License-Identifier: MIT */
/* Profiling markers: they mark nothing here. */
#ifndef HIP_PROFILE_H
#define HIP_PROFILE_H

#define HIP_SCOPED_MARKER(name, group)
#define HIP_BEGIN_MARKER(name, group)
#define HIP_END_MARKER()

#endif
