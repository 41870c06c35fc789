/* SPDX-License-Identifier: MIT */
#include "device/common/messages.h"

#include <stdio.h>

#include "base/log.h"

void
ls_messages_collect(void *user, enum ls_diag_level level, const char *message)
{
    struct ls_messages *m = user;

    if (level != LS_DIAG_ERROR) {
        ls_log(level == LS_DIAG_WARNING ? LS_LOG_WARN : LS_LOG_INFO, "%s", message);
        return;
    }
    if (m->n < sizeof(m->text))
        m->n += (size_t)snprintf(m->text + m->n, sizeof(m->text) - m->n, "%s%s", m->n ? "\n  " : "",
                                 message);
}
