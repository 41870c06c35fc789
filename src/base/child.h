/* SPDX-License-Identifier: MIT */
/* Helper programs. A program that waits for any of its children must not meet them; they know their
 * user by a socket, and end when it does. */
#ifndef LS_BASE_CHILD_H
#define LS_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LS_CHILD_FD 3 /* its end of the socket */

/* Starts argv[0] with no descriptors but `fd`, as LS_CHILD_FD, /dev/null to read from, and what was
 * 2 to write to as 1 and 2; no signal is blocked or handled. stack_bytes: its stack is at least so
 * large, if that may be; 0 = as it is. *pid is its number; may be NULL. 0 or an errno. */
int ls_child_start(char *const *argv, char *const *env, int fd, size_t stack_bytes, pid_t *pid);
/* For who has waited for a child in vain: has it go on if somebody stopped it (SIGSTOP). One that a
 * debugger holds is left alone. */
void ls_child_wake(pid_t pid);
/* Makes a pair of sockets with numbers above 2: a program may have closed 0 to 2, and the child
 * prints to 2. False: errno. */
bool ls_child_pair(int fds[2]);

#endif
