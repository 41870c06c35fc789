/* SPDX-License-Identifier: MIT */
/* Uses the library of host_functions.hip; compiled by the C compiler. */
#include <stdio.h>

int squares(int *out, int n);

int
main(void)
{
    int numbers[1000], wrong = squares(numbers, 1000) != 1000;

    for (int i = 0; i < 1000; i++)
        wrong += numbers[i] != i * i;
    printf("   squares: %s\n", wrong ? "WRONG" : "verified");
    return wrong != 0;
}
