/* SPDX-License-Identifier: MIT */
/* Constant tables in functions that point to variables, strings and each other. */
#include "../check.h"

__device__ int a = 5, b[4] = {1, 2, 3, 4};

struct Row {
    const char *name;
    int *where;
};

__global__ void
look(int *out)
{
    static const Row rows[3] = {{"x", &a}, {"yy", b + 1}, {"zzz", &b[3]}};
    static constexpr const Row *const two[2] = {rows + 1, rows};
    int i = threadIdx.x;
    const Row *r = i % 5 == 0 ? two[(i >> 2) & 1] : &rows[i % 3];

    out[i] = *r->where * 256 + r->name[0];
}

__global__ void
change()
{
    a = 77;
    b[1] += 10;
}

int
main()
{
    Dev<int> out(64);
    std::vector<int> want(64);

    for (int turn = 0; turn < 2; turn++) {
        int value[3] = {turn ? 77 : 5, turn ? 12 : 2, 4};

        look<<<1, 64>>>(out);
        for (int i = 0; i < 64; i++) {
            int row = i % 5 == 0 ? ((i >> 2) & 1 ? 0 : 1) : i % 3;
            want[i] = value[row] * 256 + "xyz"[row];
        }
        check_same("look", out.get(), want);
        change<<<1, 1>>>();
    }
    return 0;
}
