/* SPDX-License-Identifier: MIT */
/* Spheres over a chequered floor, with shadows and mirrors: ray_tracer.ppm. One function makes a
 * pixel, on the device and, to compare, on the host. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <cmath>
#include <vector>

constexpr int WIDTH = 960, HEIGHT = 540, BOUNCES = 4;

struct Sphere {
    float3 centre;
    float radius, mirror;
    float3 colour;
};

struct Scene {
    Sphere spheres[4];
};

__host__ __device__ inline float
hit(const Sphere &s, float3 from, float3 way)
{
    float3 to = s.centre - from;
    float along = to.x * way.x + to.y * way.y + to.z * way.z;
    float off = to.x * to.x + to.y * to.y + to.z * to.z - along * along;
    float half = s.radius * s.radius - off, t = half < 0 ? -1 : along - sqrtf(half);

    return t > 1e-3f ? t : -1;
}

/* The distance to what the ray meets first; which: a sphere's number, 4 the floor, -1 the sky. */
__host__ __device__ inline float
nearest(const Scene &scene, float3 from, float3 way, int *which)
{
    float best = way.y < -1e-4f ? -from.y / way.y : 1e30f;

    *which = best < 1e30f ? 4 : -1;
    for (int i = 0; i < 4; i++) {
        float t = hit(scene.spheres[i], from, way);

        if (t > 0 && t < best) {
            best = t;
            *which = i;
        }
    }
    return best;
}

__host__ __device__ inline float3
pixel(const Scene &scene, int x, int y)
{
    float3 from = make_float3(0, 1.2f, -4), sun = make_float3(0.57735f, 0.57735f, -0.57735f);
    float3 way =
        make_float3((x - WIDTH / 2) / (float)HEIGHT, (HEIGHT / 2 - y) / (float)HEIGHT, 1.2f);
    float3 light = make_float3(0, 0, 0);
    float weight = 1;

    way *= 1 / sqrtf(way.x * way.x + way.y * way.y + way.z * way.z);
    for (int bounce = 0; bounce < BOUNCES && weight > 0.01f; bounce++) {
        int what, shade;
        float t = nearest(scene, from, way, &what), mirror = 0.15f, lit;
        float3 normal = make_float3(0, 1, 0), colour;

        if (what < 0) {
            light += weight * make_float3(0.5f + 0.3f * way.y, 0.7f, 0.95f);
            break;
        }
        from += t * way;
        if (what == 4) {
            bool white = ((int)floorf(from.x) + (int)floorf(from.z)) & 1;
            colour = white ? make_float3(0.9f, 0.9f, 0.9f) : make_float3(0.15f, 0.2f, 0.25f);
        } else {
            normal = (from - scene.spheres[what].centre) * (1 / scene.spheres[what].radius);
            colour = scene.spheres[what].colour;
            mirror = scene.spheres[what].mirror;
        }
        nearest(scene, from, sun, &shade);
        lit = normal.x * sun.x + normal.y * sun.y + normal.z * sun.z;
        lit = 0.2f + 0.8f * (shade >= 0 && shade < 4 ? 0 : fmaxf(lit, 0.0f));
        light += weight * (1 - mirror) * lit * colour;
        weight *= mirror;
        way -= 2 * (way.x * normal.x + way.y * normal.y + way.z * normal.z) * normal;
    }
    return light;
}

__global__ void
trace(Scene scene, float3 *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = pixel(scene, x, y);
}

int
main()
{
    const Scene scene = {{{{-1.3f, 0.8f, 1.2f}, 0.8f, 0.3f, {0.9f, 0.3f, 0.2f}},
                          {{0.4f, 1.1f, 2.6f}, 1.1f, 0.7f, {0.8f, 0.8f, 0.9f}},
                          {{1.5f, 0.5f, 0.6f}, 0.5f, 0.2f, {0.2f, 0.6f, 0.3f}},
                          {{0.1f, 0.35f, -0.3f}, 0.35f, 0.1f, {0.9f, 0.7f, 0.2f}}}};
    std::vector<float3> result(WIDTH * HEIGHT);
    std::vector<unsigned char> rgb(3 * result.size());
    int off = 0, looked = 0;
    float3 *out;

    print_device();
    HIP_CHECK(hipMalloc(&out, result.size() * sizeof(float3)));
    trace<<<dim3(WIDTH / 32, (HEIGHT + 7) / 8), dim3(32, 8)>>>(scene, out);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), out, result.size() * sizeof(float3), hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(out));

    for (size_t p = 0; p < result.size(); p++) {
        float c[3] = {result[p].x, result[p].y, result[p].z};

        for (int k = 0; k < 3; k++)
            rgb[3 * p + k] = (unsigned char)(255 * sqrtf(c[k] < 0 ? 0 : c[k] > 1 ? 1 : c[k]));
        if (p % 13)
            continue;
        float3 want = pixel(scene, (int)p % WIDTH, (int)p / WIDTH);
        looked++;
        off += !(fabsf(want.x - c[0]) + fabsf(want.y - c[1]) + fabsf(want.z - c[2]) < 0.01f);
    }
    write_picture("ray_tracer.ppm", WIDTH, HEIGHT, rgb.data());
    std::printf("   %d of %d pixels differ from the host's\n", off, looked);
    return verdict(off < looked / 500, "picture"); /* edges, where roundings decide */
}
