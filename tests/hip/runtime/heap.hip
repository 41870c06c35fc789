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
    return 0;
}
