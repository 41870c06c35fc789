/* SPDX-License-Identifier: MIT */
/* All-pairs gravity in C: the inner loop vectorised over bodies i, as many compilers and people do
 * it. */
#include <math.h>

#include "../peer.h"
#include "kernels.h"

void
omp_nbody(float *acc, const float *pos, int n)
{
    enum { LANES = 64 };

#pragma omp parallel for schedule(static)
    for (int base = 0; base < n; base += LANES) {
        float px[LANES], py[LANES], pz[LANES], ax[LANES] = {0}, ay[LANES] = {0}, az[LANES] = {0};

        for (int l = 0; l < LANES; l++) {
            px[l] = pos[4 * (base + l)];
            py[l] = pos[4 * (base + l) + 1];
            pz[l] = pos[4 * (base + l) + 2];
        }
        for (int j = 0; j < n; j++) {
            const float qx = pos[4 * j], qy = pos[4 * j + 1], qz = pos[4 * j + 2],
                        m = pos[4 * j + 3];
#pragma omp simd
            for (int l = 0; l < LANES; l++) {
                float dx = qx - px[l], dy = qy - py[l], dz = qz - pz[l];
                float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + NBODY_SOFT);
                float s = m * r * r * r;
                ax[l] += dx * s;
                ay[l] += dy * s;
                az[l] += dz * s;
            }
        }
        for (int l = 0; l < LANES; l++) {
            acc[4 * (base + l)] = ax[l];
            acc[4 * (base + l) + 1] = ay[l];
            acc[4 * (base + l) + 2] = az[l];
            acc[4 * (base + l) + 3] = 0;
        }
    }
}
