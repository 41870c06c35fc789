// SPDX-License-Identifier: MIT
// FLAGS: -mprintf-kind=buffered
// ARCH: gfx1100
// OPT: -O0 -O3
// ISA: avx2
// EXPECT-OUTPUT: thread 3: -7 4000000000 1.5 0x1f abc % c later  end 123456789012
// printf that answers whether a launch's buffer took the text: all kinds of arguments, and what a
// small buffer takes.
#include "../check.h"

__device__ char words[2][8] = {"later", ""};

__global__ void
speak(int *answer, const char *format)
{
    int i = (int)global_id();

    if (i % 2 == 0)
        return;
    if (i == 3) {
        answer[0] = printf("thread %u: %d %u %g 0x%x %s %% %c ", threadIdx.x, -7, 4000000000u, 1.5,
                           31, "abc", 'c');
        answer[1] = printf("%s %*s%s %lld\n", words[0], 1, words[1], "end", 123456789012ll);
        answer[2] = printf(format, 5);
        answer[3] = printf("\n");
    }
}

/* 4 bytes for the frame, 8 for the format, 8 for the number, 8 for each string. */
__global__ void
fill(int *answer)
{
    answer[global_id()] = printf("%d%s%s", (int)global_id(), words[1], "");
}

static int
taken(Dev<int> &answer, int n)
{
    std::vector<int> got = answer.get();
    int sum = 0;

    for (int i = 0; i < n; i++) {
        if (got[i] != 0 && got[i] != -1)
            FAIL("thread %d: %d", i, got[i]);
        sum += got[i] == 0;
    }
    return sum;
}

int
main()
{
    Dev<int> answer(256);
    char *format;
    size_t bytes;

    CHECK_HIP(hipMallocManaged((void **)&format, 16));
    strcpy(format, "five: %d\n");
    speak<<<1, 32>>>(answer, format);
    CHECK_RUN();
    CHECK(taken(answer, 4) == 4);

    CHECK_HIP(hipDeviceGetLimit(&bytes, hipLimitPrintfFifoSize));
    CHECK(bytes == 4u << 20);
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 8 + 10 * 36 + 35));
    for (int i = 0; i < 3; i++) {
        fill<<<4, 64>>>(answer);
        CHECK_RUN();
        if (taken(answer, 256) != 10)
            FAIL("launch %d: %d taken", i, taken(answer, 256));
    }
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, 0));
    fill<<<4, 64>>>(answer);
    CHECK_RUN();
    CHECK(taken(answer, 256) == 0);
    CHECK_HIP(hipDeviceSetLimit(hipLimitPrintfFifoSize, bytes));
    fill<<<4, 64>>>(answer);
    CHECK_RUN();
    CHECK(taken(answer, 256) == 256);
    return 0;
}
