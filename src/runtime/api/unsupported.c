/* SPDX-License-Identifier: MIT */
/* The exported functions that are not done yet: each answers hipErrorNotSupported. Their arguments
 * are ignored, which the C ABI of our targets allows, so no header is needed here. */

int ls_api_unsupported(const char *name);

#define LS_API(node, name)
#define LS_API_ANYWHERE(node, name)
#define LS_API_UNSUPPORTED(node, name)                                                             \
    int name(void);                                                                                \
    __attribute__((visibility("default"))) int name(void)                                          \
    {                                                                                              \
        return ls_api_unsupported(#name);                                                          \
    }
#include "runtime/api/hip_api.def"
