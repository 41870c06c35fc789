/* SPDX-License-Identifier: MIT */
/* hipify-perl, hipify: translates CUDA C++ to HIP without a compiler; under the name hipify-clang,
 * with one. The table of names is in here once for both. */
#include <string.h>

#include "run.h"

int
main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";

    return strstr(name, "clang") ? ls_hipify_clang(argc, argv) : ls_hipify_main(argc, argv, NULL);
}
