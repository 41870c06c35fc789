/* SPDX-License-Identifier: MIT */
/* Threads of a warp that are at the same place of a data structure by chance, for a while, and then
 * are not: nodes of a tree, lists, stacks. The code that serves them all with one access must not
 * be taken when they differ, when none is there, nor with an address of an earlier iteration. */
#include "fenced.h"

enum { THREADS = 160, N = 640 };

struct Node {
    float low, high;
    int left, right;
    unsigned char kind, weight;
    short count;
    double sum;
};

struct Link {
    const Link *next;
    int value, bonus;
    unsigned more, most;
    unsigned long long mark;
};

/* The value of node `at` is read in front of branches, inside of them, behind them, and behind the
 * loop that threads leave at different times. */
__host__ __device__ static unsigned long long
walk(const Node *nodes, int first, float key, int most)
{
    unsigned long long out = 0;
    int at = first, steps = 0, stack[8], depth = 0;

    for (;;) {
        if (key < nodes[at].low || key > nodes[at].high) {
            out += nodes[at].weight;
            if (depth == 0)
                break;
            at = stack[--depth];
        } else if (nodes[at].kind) {
            for (int i = 0; i < nodes[at].count; i++)
                out = out * 3 + nodes[at].weight + (unsigned long long)nodes[at].sum + (unsigned)i;
            if (depth == 0 || ++steps > most)
                break;
            at = stack[--depth];
        } else {
            if (depth < 8 && nodes[at].right)
                stack[depth++] = nodes[at].right;
            if (nodes[at].left == at)
                break;
            at = nodes[at].left;
        }
        if (++steps > 64)
            break;
    }
    return out * 31 + nodes[at].left + nodes[at].right * 7 + nodes[at].weight + depth;
}

__host__ __device__ static unsigned long long
follow(const Link *l, int n)
{
    unsigned long long out = 0;

    for (int i = 0; i < n && l; i++) {
        out = out * 5 + (unsigned)l->value + l->mark;
        if (l->bonus & 1)
            out += l->bonus + l->mark;
        l = l->next;
    }
    return l ? out + l->value + l->mark : out;
}

/* Threads leave the loop at different links, and read them when all have left. */
__host__ __device__ static unsigned long long
search(const Link *l, int value)
{
    unsigned long long passed = 0;

    for (;;) {
        passed = passed * 3 + l->mark + (unsigned)(l->value ^ l->bonus);
        if (l->value == value || passed % 11 == 3)
            break;
        l = l->next;
    }
    return passed + l->more * 5u + l->most;
}

/* Some threads look at a node before all of them do. */
__host__ __device__ static unsigned long long
probe(const Node *nodes, int at, unsigned ways, int n)
{
    unsigned long long out = 0;

    for (int i = 0; i < n; i++) {
        if (ways >> i & 1)
            out += (unsigned)(nodes[at].left * 3 + nodes[at].right + nodes[at].count);
        out = out * 5 + (unsigned)nodes[at].weight + (unsigned)nodes[at].low;
        at = ways >> (i + 5) & 1 ? nodes[at].left : nodes[at].right;
    }
    return out;
}

/* A machine with a stack of vectors, whose depth the threads share until data parts them. */
__host__ __device__ static unsigned
machine(const unsigned char *code, int n, unsigned seed)
{
    uint2 stack[6];
    unsigned v = seed;
    int depth = 0;

    for (int i = 0; i < n; i++) {
        unsigned op = code[i];

        if (op == 0 && depth < 6)
            stack[depth++] = make_uint2(v, (unsigned)i);
        else if (op == 1 && depth > 0)
            v += stack[--depth].x * 3 + stack[depth].y;
        else if (op == 2 && (v & 1) && depth > 0)
            v ^= stack[--depth].x;
        else
            v = v * 5 + op;
    }
    while (depth > 0)
        v += stack[--depth].y;
    return v;
}

__global__ void
trees(unsigned long long *out, const Node *nodes, const int *first, const float *key, int most,
      unsigned some)
{
    int i = (int)global_id();

    if (some >> i % 32 & 1)
        out[i] = walk(nodes, first[i], key[i], most);
}

__global__ void
lists(unsigned long long *out, const Link *links, const int *first, const int *n, unsigned some)
{
    int i = (int)global_id();

    if (some >> i % 32 & 1)
        out[i] = follow(first[i] < 0 ? NULL : links + first[i], n[i]);
}

__global__ void
searches(unsigned long long *out, const Link *links, const int *first, const int *value,
         unsigned some)
{
    int i = (int)global_id();

    if (some >> i % 32 & 1)
        out[i] = search(links + first[i], value[i]);
}

__global__ void
probes(unsigned long long *out, const Node *nodes, const int *first, const unsigned *ways, int n,
       unsigned some)
{
    int i = (int)global_id();

    if (some >> i % 32 & 1)
        out[i] = probe(nodes, first[i], ways[i], n);
}

__global__ void
machines(unsigned *out, const unsigned char *code, int n, const unsigned *seed, unsigned some)
{
    int i = (int)global_id();

    if (some >> i % 32 & 1)
        out[i] = machine(code + (i / 32 % 4), n, seed[i]);
}

static const unsigned masks[] = {~0u, 0x80000000, 0x00010000, 0x7ffffffe, 0x55aa00ff};

/* apart: one thread in so many begins elsewhere, or has another key. */
static void
check_trees(unsigned apart)
{
    enum { NODES = 127 };
    Fenced memory(NODES * sizeof(Node), true);
    Node *nodes = (Node *)memory.p;
    std::vector<int> first(N);
    std::vector<float> key(N);
    std::vector<unsigned long long> want(N);

    for (int k = 0; k < NODES; k++) {
        bool leaf = 2 * k + 2 >= NODES;
        float low = (float)(mix((uint32_t)k) % 40);

        nodes[k] = {
            k ? low : 0.f,       k ? low + 30 : 100.f,   leaf ? k : 2 * k + 1, leaf ? 0 : 2 * k + 2,
            (unsigned char)leaf, (unsigned char)(k * 3), (short)(k % 4),       k * 2.0};
    }
    for (int i = 0; i < N; i++) {
        bool other = apart && mix((uint32_t)i) % apart == 0;

        first[i] = other ? (int)(mix((uint32_t)i * 7) % NODES) : 0;
        key[i] = other ? (float)(mix((uint32_t)i * 3) % 70) : (float)(i / 32 * 5 % 70);
    }
    Dev<int> dfirst(first);
    Dev<float> dkey(key);
    for (unsigned some : masks)
        for (int most : {0, 3, 100}) {
            Dev<unsigned long long> out(N);

            trees<<<N / THREADS, THREADS>>>(out, nodes, dfirst, dkey, most, some);
            for (int i = 0; i < N; i++)
                want[i] = some >> i % 32 & 1 ? walk(nodes, first[i], key[i], most) : 0;
            check_same("trees", out.get(), want);
        }
    std::vector<unsigned> ways(N);
    for (int i = 0; i < N; i++)
        ways[i] =
            mix((uint32_t)(apart && mix((uint32_t)i) % apart == 0 ? i : i / 32)) ^ (i % 5 == 0);
    Dev<unsigned> dways(ways);
    const int n = 5;
    for (unsigned some : masks) {
        Dev<unsigned long long> out(N);

        probes<<<N / THREADS, THREADS>>>(out, nodes, dfirst, dways, n, some);
        for (int i = 0; i < N; i++)
            want[i] = some >> i % 32 & 1 ? probe(nodes, first[i], ways[i], n) : 0;
        check_same("probes", out.get(), want);
    }
}

static void
check_lists(unsigned apart)
{
    enum { LINKS = 50 };
    Fenced memory(LINKS * sizeof(Link), true);
    Link *links = (Link *)memory.p;
    std::vector<int> first(N), n(N);
    std::vector<unsigned long long> want(N);

    for (int k = 0; k < LINKS; k++)
        links[k] = {k % 17 == 16 ? NULL : links + (k + 1) % LINKS,
                    k * 11,
                    (int)mix((uint32_t)k),
                    mix((uint32_t)k + 99),
                    (uint32_t)k,
                    (unsigned long long)k << 33};
    for (int i = 0; i < N; i++) {
        bool other = apart && mix((uint32_t)i) % apart == 0;

        first[i] = other ? (int)(mix((uint32_t)i * 5) % (LINKS + 1)) - 1 : i / 32 % LINKS;
        n[i] = other ? (int)(mix((uint32_t)i * 9) % 20) : 9;
    }
    Dev<int> dfirst(first), dn(n);
    for (unsigned some : masks) {
        Dev<unsigned long long> out(N);

        lists<<<N / THREADS, THREADS>>>(out, links, dfirst, dn, some);
        for (int i = 0; i < N; i++)
            want[i] = some >> i % 32 & 1 ? follow(first[i] < 0 ? NULL : links + first[i], n[i]) : 0;
        check_same("lists", out.get(), want);
    }
    for (int k = 0; k < LINKS; k++)
        links[k].next = links + (k + 1) % LINKS;
    for (int i = 0; i < N; i++) {
        first[i] = first[i] < 0 ? 0 : first[i] % LINKS;
        n[i] = (int)(mix((uint32_t)(apart ? i : i / 32)) % LINKS) * 11;
    }
    Dev<int> dstart(first), dvalue(n);
    for (unsigned some : masks) {
        Dev<unsigned long long> out(N);

        searches<<<N / THREADS, THREADS>>>(out, links, dstart, dvalue, some);
        for (int i = 0; i < N; i++)
            want[i] = some >> i % 32 & 1 ? search(links + first[i], n[i]) : 0;
        check_same("searches", out.get(), want);
    }
}

static void
check_machines(unsigned apart)
{
    enum { LENGTH = 60 };
    std::vector<unsigned char> code(LENGTH + 4);
    std::vector<unsigned> seed(N), want(N);

    for (size_t i = 0; i < code.size(); i++)
        code[i] = (unsigned char)(mix((uint32_t)i) % (apart ? 4 : 2));
    for (int i = 0; i < N; i++)
        seed[i] = apart && mix((uint32_t)i) % apart == 0 ? mix((uint32_t)i) & 0xffff : 8;
    Dev<unsigned char> dcode(code);
    Dev<unsigned> dseed(seed);
    for (unsigned some : masks) {
        Dev<unsigned> out(N);

        machines<<<N / THREADS, THREADS>>>(out, dcode, LENGTH, dseed, some);
        for (int i = 0; i < N; i++)
            want[i] = some >> i % 32 & 1 ? machine(code.data() + i / 32 % 4, LENGTH, seed[i]) : 0;
        check_same("machines", out.get(), want);
    }
}

int
main()
{
    for (unsigned apart : {0u, 1u, 2u, 13u, 100u}) {
        check_trees(apart);
        check_lists(apart);
        check_machines(apart);
    }
    return 0;
}
