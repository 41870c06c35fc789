/* SPDX-License-Identifier: MIT */
/* What functions that are not done yet answer. */
#include "runtime/api/api.h"

int ls_api_unsupported(const char *name);

int
ls_api_unsupported(const char *name)
{
    return ls_return(ls_err(hipErrorNotSupported, "%s is not implemented", name));
}
