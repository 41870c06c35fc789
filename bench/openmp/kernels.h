/* SPDX-License-Identifier: MIT */
/* The hand-written C kernels that live in files of their own, for their flags or their length. */
#ifndef LS_BENCH_OPENMP_KERNELS_H
#define LS_BENCH_OPENMP_KERNELS_H

/* acc and pos hold n float4. Built with -ffast-math: rsqrtf of HIP has the same liberty. */
void omp_nbody(float *acc, const float *pos, int n);
/* c = a * b, n x n, n a multiple of 256: register tiles over packed panels. */
void omp_matmul(float *c, const float *a, const float *b, int n);
/* By blocks of 16 x 16, as the HIP kernel. */
void omp_tiled(float *c, const float *a, const float *b, int n);
/* c = a * b with bfloat elements, b column-major, by AVX-512's dot product; n a multiple of 256. */
void omp_matmul_bf16(float *c, const unsigned short *a, const unsigned short *b, int n);
/* 16 lanes by hand. n a multiple of 16. */
void omp_mandel(int *out, int n, int iters);

#endif
