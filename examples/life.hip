/* SPDX-License-Identifier: MIT */
/* Conway's game of life on a torus: a gun and its gliders, as text; each generation is read from
 * one buffer and written to the other. */
#include <hip/hip_runtime.h>

#include "common.h"

#include <string>
#include <vector>

constexpr int WIDTH = 64, HEIGHT = 24, GENERATIONS = 90;

__host__ __device__ inline unsigned char
next(const unsigned char *world, int x, int y)
{
    int n = 0;

    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                n += world[(y + dy + HEIGHT) % HEIGHT * WIDTH + (x + dx + WIDTH) % WIDTH];
    return n == 3 || (n == 2 && world[y * WIDTH + x]);
}

__global__ void
generation(const unsigned char *from, unsigned char *to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < WIDTH && y < HEIGHT)
        to[y * WIDTH + x] = next(from, x, y);
}

int
main()
{
    static const char *const gun[] = {
        "........................#...........", "......................#.#...........",
        "............##......##............##", "...........#...#....##............##",
        "##........#.....#...##..............", "##........#...#.##....#.#...........",
        "..........#.....#.......#...........", "...........#...#....................",
        "............##......................"};
    std::vector<unsigned char> world(WIDTH * HEIGHT), other(world), result(world);
    unsigned char *d[2];
    int alive = 0;

    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 36; x++)
            world[(y + 1) * WIDTH + x + 1] = gun[y][x] == '#';
    print_device();
    for (unsigned char *&p : d)
        HIP_CHECK(hipMalloc(&p, world.size()));
    HIP_CHECK(hipMemcpy(d[0], world.data(), world.size(), hipMemcpyHostToDevice));
    for (int g = 0; g < GENERATIONS; g++)
        generation<<<dim3(WIDTH / 16, HEIGHT / 8), dim3(16, 8)>>>(d[g % 2], d[(g + 1) % 2]);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(result.data(), d[GENERATIONS % 2], result.size(), hipMemcpyDeviceToHost));
    for (unsigned char *p : d)
        HIP_CHECK(hipFree(p));

    for (int g = 0; g < GENERATIONS; g++) {
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            other[i] = next(world.data(), i % WIDTH, i / WIDTH);
        world.swap(other);
    }
    for (int y = 0; y < HEIGHT; y++) {
        std::string row;
        for (int x = 0; x < WIDTH; x++)
            row += result[y * WIDTH + x] ? '#' : '.';
        std::printf("   %s\n", row.c_str());
    }
    for (unsigned char cell : result)
        alive += cell;
    std::printf("   %d cells live after %d generations\n", alive, GENERATIONS);
    return verdict(result == world, "generations");
}
