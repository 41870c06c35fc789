/* SPDX-License-Identifier: MIT */
/* Threads that are cancelled while they are in our code: pthread_cancel takes effect in calls of
 * libc (files, waits, messages), and what the thread has locked or half done would stay so. Around
 * such places cancellation is put off; it takes effect when the thread is back in the program's
 * code. They nest. */
#ifndef LS_BASE_CANCEL_H
#define LS_BASE_CANCEL_H

#include <pthread.h>

static inline int
ls_cancel_off(void)
{
    int old = PTHREAD_CANCEL_ENABLE;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    return old;
}

/* Restores the state that ls_cancel_off returned. */
static inline void
ls_cancel_on(int old)
{
    if (old == PTHREAD_CANCEL_ENABLE)
        pthread_setcancelstate(old, NULL);
}

static inline void
ls_cancel_leave(const int *old)
{
    ls_cancel_on(*old);
}

/* Puts cancellation off for the rest of the block, however that is left. */
#define LS_UNCANCELLED() \
    int ls_cancel_ __attribute__((cleanup(ls_cancel_leave))) = ls_cancel_off(); \
    (void)ls_cancel_

#endif
