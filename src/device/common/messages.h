/* SPDX-License-Identifier: MIT */
/* What the compiler says while it makes code for a device. */
#ifndef LS_DEVICE_COMMON_MESSAGES_H
#define LS_DEVICE_COMMON_MESSAGES_H

#include <stddef.h>

#include "base/options.h"

/* Errors, one below the other, as far as there is room. */
struct ls_messages {
    char text[4096];
    size_t n;
};

/* A ls_diag_sink: errors go to `user`, a struct ls_messages, and the rest to the log. */
void ls_messages_collect(void *user, enum ls_diag_level level, const char *message);

#endif
