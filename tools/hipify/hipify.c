/* SPDX-License-Identifier: MIT */
/* hipify-perl, hipify: translates CUDA C++ to HIP without a compiler. */
#include "run.h"

int
main(int argc, char **argv)
{
    return ls_hipify_main(argc, argv, NULL);
}
