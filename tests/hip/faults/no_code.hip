/* SPDX-License-Identifier: MIT */
/* A kernel that cannot be lowered fails at each launch; why is said once. */
#include "../check.h"

#include <unistd.h>

__global__ void
cannot(int *out)
{
    *out = ((const int *)__builtin_amdgcn_implicitarg_ptr())[50]; /* a field that means nothing */
}

int
main()
{
    FILE *file = tmpfile();
    Dev<int> out(1);
    char line[512];
    int said = 0, err = dup(2);

    CHECK(file && err >= 0);
    dup2(fileno(file), 2);
    for (int i = 0; i < 5; i++) {
        cannot<<<1, 32>>>(out);
        if (hipGetLastError() != hipErrorInvalidKernelFile)
            return 1;
    }
    dup2(err, 2);
    rewind(file);
    while (fgets(line, sizeof(line), file))
        said += strstr(line, "no code for kernel") != NULL;
    CHECK(said == 1);
    return 0;
}
