/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <pthread.h>
#include <signal.h>

bool
ls_thread_start(void *(*fn)(void *), void *arg)
{
    sigset_t all, old;
    pthread_t thread;
    bool made;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    made = pthread_create(&thread, NULL, fn, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (made)
        pthread_detach(thread);
    return made;
}
