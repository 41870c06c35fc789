/* SPDX-License-Identifier: MIT */
#include "base/signal.h"

/* Ends the process as if there were no handler: the instruction that faulted does so again, and the
 * system ends the process, whether or not the signal is ignored. */
static void
end_process(int sig, const siginfo_t *info)
{
    struct sigaction act = {.sa_handler = SIG_DFL};

    sigaction(sig, &act, NULL);
    if (info->si_code <= 0)
        raise(sig);
}

void
ls_signal_pass_on(struct sigaction *behind, int sig, siginfo_t *info, void *context)
{
    struct sigaction act = *behind;
    sigset_t more = act.sa_mask, old;

    if (!(act.sa_flags & SA_SIGINFO) && act.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (!(act.sa_flags & SA_SIGINFO) && (act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN)) {
        end_process(sig, info);
        return;
    }
    if (act.sa_flags & SA_RESETHAND)
        *behind = (struct sigaction){.sa_handler = SIG_DFL};
    if (!(act.sa_flags & SA_NODEFER))
        sigaddset(&more, sig);
    pthread_sigmask(SIG_BLOCK, &more, &old);
    if (act.sa_flags & SA_NODEFER) {
        sigemptyset(&more);
        sigaddset(&more, sig);
        pthread_sigmask(SIG_UNBLOCK, &more, NULL);
    }
    if (act.sa_flags & SA_SIGINFO)
        act.sa_sigaction(sig, info, context);
    else
        act.sa_handler(sig);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}
