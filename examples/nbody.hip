/* SPDX-License-Identifier: MIT */
/* Gravity between 8192 bodies for a few steps, bodies staged through shared memory; positions are
 * checked against the same integration on the host in double, and the momentum must stay what it
 * was. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

constexpr int N = 8192, BLOCK = 256, STEPS = 3;
constexpr float DT = 0.005f, SOFTENING = 0.01f;

__global__ void
accelerate(const float4 *bodies, float4 *velocities)
{
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;

    for (int first = 0; first < N; first += BLOCK) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < BLOCK; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            float s = tile[j].w * r * r * r;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        __syncthreads();
    }
    velocities[i].x += DT * ax;
    velocities[i].y += DT * ay;
    velocities[i].z += DT * az;
}

__global__ void
move(float4 *bodies, const float4 *velocities)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    bodies[i].x += DT * velocities[i].x;
    bodies[i].y += DT * velocities[i].y;
    bodies[i].z += DT * velocities[i].z;
}

struct Body {
    double x, y, z, vx, vy, vz, mass;
};

static void
step_on_host(std::vector<Body> &bodies)
{
    for (Body &me : bodies) {
        double ax = 0, ay = 0, az = 0;
        for (const Body &other : bodies) {
            double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            double d = dx * dx + dy * dy + dz * dz + SOFTENING;
            double s = other.mass / (d * std::sqrt(d));
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        me.vx += DT * ax;
        me.vy += DT * ay;
        me.vz += DT * az;
    }
    for (Body &me : bodies) {
        me.x += DT * me.vx;
        me.y += DT * me.vy;
        me.z += DT * me.vz;
    }
}

int
main()
{
    std::vector<float4> bodies(N), velocities(N);
    std::vector<Body> reference(N);
    float4 *dbodies, *dvelocities;
    Random random;

    for (int i = 0; i < N; i++) {
        float x = random.next() - 0.5f, y = random.next() - 0.5f, z = random.next() - 0.5f;
        float m = (0.5f + random.next()) / N;
        bodies[i] = make_float4(x, y, z, m);
        velocities[i] = make_float4(-0.3f * y, 0.3f * x, 0, 0);
        reference[i] = {x, y, z, velocities[i].x, velocities[i].y, 0, m};
    }
    print_device();
    HIP_CHECK(hipMalloc(&dbodies, N * sizeof(float4)));
    HIP_CHECK(hipMalloc(&dvelocities, N * sizeof(float4)));
    HIP_CHECK(hipMemcpy(dbodies, bodies.data(), N * sizeof(float4), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(dvelocities, velocities.data(), N * sizeof(float4), hipMemcpyHostToDevice));

    double best = 1e9;
    for (int step = 0; step < STEPS; step++) {
        double start = seconds();
        accelerate<<<N / BLOCK, BLOCK>>>(dbodies, dvelocities);
        move<<<N / BLOCK, BLOCK>>>(dbodies, dvelocities);
        HIP_CHECK(hipGetLastError());
        HIP_CHECK(hipDeviceSynchronize());
        best = std::fmin(best, seconds() - start);
    }
    HIP_CHECK(hipMemcpy(bodies.data(), dbodies, N * sizeof(float4), hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(velocities.data(), dvelocities, N * sizeof(float4), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(dbodies));
    HIP_CHECK(hipFree(dvelocities));

    double worst = 0, momentum = 0, reference_momentum = 0;
    for (int step = 0; step < STEPS; step++)
        step_on_host(reference);
    for (int i = 0; i < N; i++) {
        const Body &r = reference[i];
        double error = std::fabs(bodies[i].x - r.x) + std::fabs(bodies[i].y - r.y) +
                       std::fabs(bodies[i].z - r.z);
        if (!(error <= worst)) /* catches NaN */
            worst = error;
        momentum += (double)bodies[i].w * velocities[i].x;
        reference_momentum += r.mass * r.vx;
    }
    std::printf(
        "   %d bodies, %d steps: %.2f ms a step, worst distance from the host's result %.2g\n", N,
        STEPS, 1e3 * best, worst);
    int bad = verdict(worst < 1e-5, "positions");
    return verdict(std::fabs(momentum - reference_momentum) < 1e-5, "momentum") | bad;
}
