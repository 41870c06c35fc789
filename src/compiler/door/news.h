/* SPDX-License-Identifier: MIT */
/* C++'s new and delete for processes that compile: what is made one after the other lies one
 * behind the other. LLVM makes most of its instructions in the order in which its passes walk
 * through them, and malloc would give them what has just become free anywhere: a walk then waits
 * for memory at each step, the longer the more there is of it. */
#ifndef LS_DOOR_NEWS_H
#define LS_DOOR_NEWS_H

#include <stddef.h>

/* Sanitizers have their own, so there these have names that nobody asks for. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LS_CXX_NAME(name) #name ".none"
#else
#define LS_CXX_NAME(name) #name
#endif
#define LS_CXX(name) __asm__(LS_CXX_NAME(name)) __attribute__((visibility("default")))

void *ls_new(size_t bytes) LS_CXX(_Znwm); /* never NULL: ends the process */
void ls_delete(void *p) LS_CXX(_ZdlPv); /* NULL is fine */
void ls_delete_sized(void *p, size_t bytes) LS_CXX(_ZdlPvm);

/* Gives back what is free: nothing is to be done for a while. */
void ls_news_drop(void);

#endif
