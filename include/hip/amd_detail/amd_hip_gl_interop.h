/* SPDX-License-Identifier: MIT */
/* OpenGL, by the name of the part of AMD's headers that programs include it by. */
#ifndef HIP_AMD_DETAIL_AMD_HIP_GL_INTEROP_H
#define HIP_AMD_DETAIL_AMD_HIP_GL_INTEROP_H

#include <hip/hip_gl_interop.h>

#endif
