/* SPDX-License-Identifier: MIT */
/* Masks that go from block to block: loops that lanes leave at different times and in different
 * places, over elements of all sizes, a mask that elements of several sizes are chosen by, masks
 * that are joined, negated and handed round, and what the lanes of a loop tell each other. */
// PTX: yes
#include "../check.h"

/* A loop with two ways out and a branch in it. */
template <typename T>
struct walk {
    static __host__ __device__ long long
    run(int a, int b)
    {
        T x = (T)(a % 17 + 1), y = (T)(b % 5 + 1), kept = 0;
        int steps = 0, odd = 0;

        for (int i = 0; i < 40; i++) {
            if (x > (T)90)
                break;
            if ((steps ^ a) & 4) {
                y = (T)(y + 1);
                if (y > (T)30)
                    break;
                kept = x;
            } else {
                odd += (int)y;
            }
            x = (T)(x + y / (T)2 + (T)1);
            steps++;
        }
        return (long long)x * 3 + (long long)y * 1000 + (long long)kept * 70000 +
               steps * 5000000ll + odd * 400000000ll;
    }
};

MAP(Bytes, long long)
{
    return walk<unsigned char>::run(in[i] & 0xffff, in[n - 1 - i] & 0xffff);
}

MAP(Shorts, long long)
{
    return walk<short>::run(in[i] & 0xffff, in[n - 1 - i] & 0xffff);
}

MAP(Ints, long long)
{
    return walk<int>::run(in[i] & 0xffff, in[n - 1 - i] & 0xffff);
}

MAP(Longs, long long)
{
    return walk<long long>::run(in[i] & 0xffff, in[n - 1 - i] & 0xffff);
}

MAP(Floats, long long)
{
    return walk<float>::run(in[i] & 0xfffe, in[n - 1 - i] & 0xffff);
}

MAP(Doubles, long long)
{
    return walk<double>::run(in[i] & 0xfffe, in[n - 1 - i] & 0xffff);
}

/* One condition for elements of all sizes, decided long before. */
MAP(Sizes, long long)
{
    int a = in[i], steps = 0;
    unsigned char c = (unsigned char)a;
    short s = (short)a;
    float f = (float)(a & 0xff);
    double d = (double)(a & 0xfff);
    bool on = a > 3, other = (a & 6) == 2;

    while (on != other && steps < 20) {
        c = on ? (unsigned char)(c * 3) : c;
        s = other ? s : (short)(s + 7);
        f = on ? f + 1 : f - 1;
        d = other ? d * 2 : d + 1;
        bool was = on;
        on = (other && c > 100) || (!other && c % 7 > 2);
        other = was && !other;
        steps++;
    }
    return c + s * 300ll + (long long)f * 70000 + (long long)d * 3 + steps * 1000000ll + on +
           other * 2;
}

/* Loops in loops: a lane that has left the inner one waits for the others. */
MAP(Nested, int)
{
    int a = in[i] & 1023, sum = 0;

    for (int j = 0; j < a % 6; j++) {
        int b = in[(i + j) % n] & 255;
        while (b > 9) {
            b = b % 3 == 1 ? b / 2 : b - 7;
            if (b == 13)
                goto out;
            sum += b;
        }
        if (sum > 2000)
            break;
        sum = sum * 3 % 8191;
    }
out:
    return sum;
}

/* All lanes see who is there, who will stay, and whether anybody or all of them would. */
__global__ void
votes(unsigned long long *out, const int *in, int rounds)
{
    int t = (int)local_id(), left = in[t] & 15;
    unsigned long long sum = 0;

    for (int i = 0; i < rounds; i++) {
        bool odd = (in[t] >> i) & 1;
        sum = sum * 3 + __popcll(__ballot(odd)) + (__any(odd) ? 100 : 0) + (__all(odd) ? 1000 : 0);
        if (left-- == 0)
            break;
    }
    out[t] = sum;
}

static void
check_votes(unsigned n)
{
    const unsigned warp = (unsigned)host_warp_size();
    std::vector<int> in(n);
    std::vector<unsigned long long> want(n);
    Dev<unsigned long long> out(n);

    for (unsigned t = 0; t < n; t++)
        in[t] = t % 5 == 4 ? 0xfff : (int)(mix(t) & 0xfff);
    for (unsigned first = 0; first < n; first += warp)
        for (int i = 0; i < 12; i++) {
            unsigned there = 0, ones = 0;
            for (unsigned t = first; t < first + warp && t < n; t++)
                if (i <= (in[t] & 15)) {
                    there++;
                    ones += in[t] >> i & 1;
                }
            for (unsigned t = first; t < first + warp && t < n; t++)
                if (i <= (in[t] & 15))
                    want[t] = want[t] * 3 + ones + (ones ? 100 : 0) + (ones == there ? 1000 : 0);
        }
    votes<<<1, n>>>(out.p, Dev<int>(in), 12);
    check_same("votes", out.get(), want);
}

int
main()
{
    RUN_MAP(Bytes);
    RUN_MAP(Shorts);
    RUN_MAP(Ints);
    RUN_MAP(Longs);
    RUN_MAP(Floats);
    RUN_MAP(Doubles);
    RUN_MAP(Sizes);
    RUN_MAP(Nested);
    check_votes(256);
    check_votes(45);
    return 0;
}
