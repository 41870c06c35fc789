/* SPDX-License-Identifier: MIT */
/* Handlers of signals that stand in front of a program's own. */
#ifndef LS_BASE_SIGNAL_H
#define LS_BASE_SIGNAL_H

#include <signal.h>

/* For a handler of a fault's signal: calls the one that was there before, *behind, as the system
 * would have called it. Where there was none, or the program ignores the signal, a fault ends the
 * process. Changes *behind where that handler is for one time. */
void ls_signal_pass_on(struct sigaction *behind, int sig, siginfo_t *info, void *context);

#endif
