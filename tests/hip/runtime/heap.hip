/* SPDX-License-Identifier: MIT */
/* malloc and free in kernels: a list per thread. */
#include "../check.h"

struct Node {
    Node *next;
    int value;
};

__global__ void
lists(int *out, const int *in, int n)
{
    int i = (int)global_id();

    if (i >= n)
        return;
    Node *head = nullptr;
    for (int k = 0; k < (in[i] & 7) + 1; k++) {
        Node *node = (Node *)malloc(sizeof(Node));
        if (!node) {
            out[i] = -1;
            return;
        }
        node->next = head;
        node->value = k * i;
        head = node;
    }
    int sum = 0;
    while (head) {
        Node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    out[i] = sum;
}

__device__ char *kept;

__global__ void
keep(size_t bytes)
{
    if (bytes)
        kept = (char *)malloc(bytes);
    else
        free(kept);
}

/* What kernels take is no longer free. */
static void
check_free_memory(size_t bytes)
{
    size_t before = 0, during = 0, after = 0, total;

    CHECK_HIP(hipMemGetInfo(&before, &total));
    keep<<<1, 1>>>(bytes);
    CHECK_RUN();
    CHECK_HIP(hipMemGetInfo(&during, &total));
    keep<<<1, 1>>>(0);
    CHECK_RUN();
    CHECK_HIP(hipMemGetInfo(&after, &total));
    CHECK(during + bytes <= before && after == before);
}

int
main()
{
    const int n = 300;
    std::vector<int> in = map_input(n), want(n);
    Dev<int> din(in), out(n);

    for (int i = 0; i < n; i++) {
        int k = in[i] & 7;
        want[i] = i * (k * (k + 1) / 2);
    }
    for (unsigned threads : {37u, 128u}) {
        lists<<<(n + threads - 1) / threads, threads>>>(out, din, n);
        check_same("lists", out.get(), want);
    }
    check_free_memory(3u << 20);
    return 0;
}
