/* SPDX-License-Identifier: MIT */
/* tanpi where its value is a number, on device and host: zeros and poles with the signs of C23
 * (F.10.1), and ones between them. */
#include "../check.h"

__host__ __device__ static void
compute(float *singles, double *doubles, int i)
{
    double x = (i - 64) * 0.25;

    singles[i] = tanpif((float)x);
    doubles[i] = tanpi(x);
}

__global__ void
kernel(float *singles, double *doubles)
{
    compute(singles, doubles, (int)global_id());
    if (threadIdx.x == 64) /* minus zero */
        singles[64] = tanpif(-singles[64]), doubles[64] = tanpi(-doubles[64]);
}

int
main()
{
    const int n = 128;
    Dev<float> singles(n);
    Dev<double> doubles(n);
    std::vector<float> host_singles(n), want_singles(n);
    std::vector<double> host_doubles(n), want(n);

    kernel<<<1, n>>>(singles, doubles);
    CHECK_RUN();
    for (int i = 0; i < n; i++) {
        int whole = (i - 64) >> 2; /* rounded down */
        double sign = whole & 1 ? -1.0 : 1.0;
        switch (i & 3) {
        case 0: want[i] = whole < 0 ? -sign * 0.0 : sign * 0.0; break;
        case 1: want[i] = 1; break;
        case 2: want[i] = sign * INFINITY; break;
        default: want[i] = -1; break;
        }
        compute(host_singles.data(), host_doubles.data(), i);
    }
    want[64] = -0.0;
    host_singles[64] = tanpif(-host_singles[64]);
    host_doubles[64] = tanpi(-host_doubles[64]);
    for (int i = 0; i < n; i++)
        want_singles[i] = (float)want[i];
    check_same("host doubles", host_doubles, want);
    check_same("host floats", host_singles, want_singles);
    check_same("doubles", doubles.get(), want);
    check_same("floats", singles.get(), want_singles);
    CHECK(isnan(tanpi(INFINITY)) && isnan(tanpif(-INFINITY)) && isnan(tanpi(NAN)));
    return 0;
}
