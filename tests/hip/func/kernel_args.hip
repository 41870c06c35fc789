/* SPDX-License-Identifier: MIT */
/* Kernel arguments of all sizes and alignments, structs by value, many, and a large one. */
#include "../check.h"

struct Odd {
    char c[3];
};

struct Mixed {
    char a;
    double b;
    short c;
    int *p;
};

struct alignas(32) Aligned {
    float v[8];
};

struct Blob {
    unsigned char b[1500];
};

__global__ void
many(double *out, char a, short b, int c, long long d, float e, double f, bool g, Odd o, Mixed m,
     float3 v, Aligned al, unsigned char last, char4 q)
{
    double *r = out + 20 * (size_t)global_id();

    r[0] = a;
    r[1] = b;
    r[2] = c;
    r[3] = (double)d;
    r[4] = e;
    r[5] = f;
    r[6] = g;
    r[7] = o.c[0] + 10 * o.c[1] + 100 * o.c[2];
    r[8] = m.a;
    r[9] = m.b;
    r[10] = m.c;
    r[11] = *m.p;
    r[12] = v.x + 10 * v.y + 100 * v.z;
    r[13] = al.v[0];
    r[14] = al.v[7];
    r[15] = al.v[threadIdx.x & 7];
    r[16] = last;
    r[17] = q.x + 10 * q.y + 100 * q.z + 1000 * q.w;
    r[18] = 0;
    r[19] = 0;
}

__global__ void
blob(unsigned char *out, Blob b, int n)
{
    int i = (int)global_id();

    if (i < n)
        out[i] = b.b[n - 1 - i]; /* varying index into the arguments */
}

__global__ void
changed(int *out, int n, int step, Mixed m)
{
    n += step; /* arguments are variables */
    m.c = (short)(m.c + threadIdx.x);
    int *p = &step;
    *p += 1;
    out[global_id()] = n + m.c + step;
}

int
main()
{
    int seven = 7;
    std::vector<int> one(1, seven);
    Dev<int> cell(one);
    Odd o = {{1, 2, 3}};
    Mixed m = {-5, 2.25, -300, cell.p};
    Aligned al = {{0, 1, 2, 3, 4, 5, 6, 7}};
    Dev<double> out(20 * 64);

    many<<<2, 32>>>(out, (char)-3, (short)-1000, 1 << 30, -(1ll << 40), 1.5f, -2.5, true, o, m,
                    make_float3(1, 2, 3), al, (unsigned char)250, make_char4(1, 2, 3, 4));
    std::vector<double> got = out.get();
    for (int i = 0; i < 64; i++) {
        double want[20] = {
            -3,  -1000, 1 << 30, -(double)(1ll << 40), 1.5, -2.5, 1, 321, -5, 2.25, -300, 7,
            321, 0,     7,       (double)(i & 7),      250, 4321, 0, 0};
        check_same("many", &got[20 * i], want, 20);
    }

    Blob b;
    std::vector<unsigned char> want(1500);
    for (int i = 0; i < 1500; i++) {
        b.b[i] = (unsigned char)mix((uint32_t)i);
        want[1499 - i] = b.b[i];
    }
    Dev<unsigned char> bytes(1500);
    blob<<<12, 128>>>(bytes, b, 1500);
    check_same("blob", bytes.get(), want);

    Dev<int> iout(64);
    std::vector<int> iwant(64);
    for (int i = 0; i < 64; i++)
        iwant[i] = 15 + (-300 + i % 32) + 6;
    changed<<<2, 32>>>(iout, 10, 5, m);
    check_same("changed", iout.get(), iwant);

    /* the array form */
    int n = 10, step = 5;
    int *p = iout.p;
    void *args[] = {&p, &n, &step, &m};
    iout.zero();
    CHECK_HIP(hipLaunchKernel((const void *)changed, dim3(2), dim3(32), args, 0, nullptr));
    check_same("hipLaunchKernel", iout.get(), iwant);
    iout.zero();
    hipLaunchKernelGGL(changed, dim3(2), dim3(32), 0, 0, iout.p, 10, 5, m);
    check_same("hipLaunchKernelGGL", iout.get(), iwant);
    return 0;
}
