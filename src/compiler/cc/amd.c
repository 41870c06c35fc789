/* SPDX-License-Identifier: MIT */
/* In the place of what would write machine code for AMD hardware (lean.ld). LLVM's AMDGPU target is
 * here for what it knows of kernels: their intrinsics, address spaces and costs. */
#include "base/log.h"

void ls_amd_no_code(void);
void ls_amd_no_pass(void);
void ls_amd_no_object(const void **object);

void
ls_amd_no_code(void)
{
    LS_BUG("code for AMD hardware is not made here");
}

/* The registration of a pass: LLVM calls it at its start, and nothing is registered. */
void
ls_amd_no_pass(void)
{
}

/* The operator delete that belongs to the operator new by which LLVM had the object. */
extern void operator_delete(void *object) __asm__("_ZdlPv");

/* A constructor of what LLVM only ever deletes. The table is the one that C++'s virtual calls use:
 * the destructor, and the one that gives the memory back, too. */
void
ls_amd_no_object(const void **object)
{
    static void (*const table[])(void) = {ls_amd_no_pass, (void (*)(void))operator_delete,
                                          ls_amd_no_code, ls_amd_no_code, ls_amd_no_code};

    *object = (const void *)table;
}
