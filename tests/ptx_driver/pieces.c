/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pieces.h"

#define MEMORY_BYTES ((size_t)4 << 30)
#define GRAIN        ((size_t)512)
#define PAGE         ((size_t)4096)
#define POISONED     ((size_t)1 << 20) /* so much of a piece is not 0 when it is got */

struct piece {
    uint64_t base;
    size_t bytes;
    enum piece_kind kind;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *device, *alias; /* the same memory */
static int file = -1;
/* In the order of their addresses; guarded by lock, as the next two. */
static struct piece *list;
static size_t n_pieces, room;
static size_t used;
static atomic_uint generation = 1;

bool
pieces_open(void)
{
    file = memfd_create("ptx-driver", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)MEMORY_BYTES) != 0)
        return false;
    device = mmap(NULL, MEMORY_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    alias = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    return device != MAP_FAILED && alias != MAP_FAILED;
}

void
pieces_close(void)
{
    munmap(device, MEMORY_BYTES);
    munmap(alias, MEMORY_BYTES);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_pieces; i++)
        if (list[i].kind != PIECE_DEVICE && list[i].base % PAGE == 0 && list[i].bytes >= PAGE)
            mprotect((void *)(uintptr_t)list[i].base, list[i].bytes, PROT_NONE);
    pthread_mutex_unlock(&lock);
}

size_t
pieces_total(void)
{
    return MEMORY_BYTES;
}

size_t
pieces_left(void)
{
    size_t left;

    pthread_mutex_lock(&lock);
    left = MEMORY_BYTES - used;
    pthread_mutex_unlock(&lock);
    return left;
}

bool
pieces_is_device(uint64_t address)
{
    return address - (uint64_t)(uintptr_t)device < MEMORY_BYTES;
}

char *
pieces_at(uint64_t address)
{
    return pieces_is_device(address) ? alias + (address - (uint64_t)(uintptr_t)device)
                                     : (char *)(uintptr_t)address;
}

/* lock held: how many begin at or below the address. */
static size_t
count_below(uint64_t address)
{
    size_t low = 0, high = n_pieces;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (list[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* lock held */
static const struct piece *
find(uint64_t address)
{
    size_t n = count_below(address);

    return n && address - list[n - 1].base < list[n - 1].bytes ? &list[n - 1] : NULL;
}

/* lock held */
static bool
insert(struct piece p)
{
    size_t n = count_below(p.base);

    if (n_pieces == room) {
        struct piece *grown = realloc(list, (2 * room + 64) * sizeof(*list));

        if (!grown)
            return false;
        list = grown;
        room = 2 * room + 64;
    }
    memmove(&list[n + 1], &list[n], (n_pieces - n) * sizeof(*list));
    list[n] = p;
    n_pieces++;
    return true;
}

/* lock held */
static void
erase(size_t n)
{
    memmove(&list[n], &list[n + 1], (--n_pieces - n) * sizeof(*list));
    atomic_fetch_add(&generation, 1);
}

enum piece_kind
pieces_host_kind(uint64_t address)
{
    const struct piece *p;
    enum piece_kind kind;

    pthread_mutex_lock(&lock);
    p = find(address);
    kind = p && p->kind != PIECE_DEVICE ? p->kind : PIECE_NONE;
    pthread_mutex_unlock(&lock);
    return kind;
}

bool
pieces_add(void *base, size_t bytes, enum piece_kind kind)
{
    bool ok;

    pthread_mutex_lock(&lock);
    ok = insert((struct piece){(uint64_t)(uintptr_t)base, bytes, kind});
    pthread_mutex_unlock(&lock);
    return ok;
}

bool
pieces_remove(const void *base)
{
    uint64_t at = (uint64_t)(uintptr_t)base;
    bool ok;
    size_t n;

    pthread_mutex_lock(&lock);
    n = count_below(at);
    ok = n && list[n - 1].base == at && list[n - 1].kind != PIECE_DEVICE;
    if (ok)
        erase(n - 1);
    pthread_mutex_unlock(&lock);
    return ok;
}

/* lock held: the first gap that is large enough. Between pieces stays some of it, and hardly ever
 * one begins where a page does. 0: there is none. */
static uint64_t
find_gap(size_t bytes)
{
    uint64_t from = (uint64_t)(uintptr_t)device, at = from + GRAIN;

    for (size_t n = count_below(from); n < n_pieces && pieces_is_device(list[n].base); n++) {
        if (list[n].base - at >= bytes + GRAIN && list[n].base > at)
            return at;
        at = list[n].base + (list[n].bytes + GRAIN - 1) / GRAIN * GRAIN + GRAIN;
    }
    return from + MEMORY_BYTES - at >= bytes + GRAIN ? at : 0;
}

uint64_t
driver_alloc(size_t bytes)
{
    uint64_t at = 0;

    pthread_mutex_lock(&lock);
    if (bytes && bytes < MEMORY_BYTES)
        at = find_gap(bytes);
    if (at && !insert((struct piece){at, bytes, PIECE_DEVICE}))
        at = 0;
    if (at)
        used += bytes;
    pthread_mutex_unlock(&lock);
    if (at)
        memset(pieces_at(at), 0xa5, bytes < POISONED ? bytes : POISONED);
    return at;
}

bool
driver_free(uint64_t address)
{
    size_t n, bytes = 0;
    bool ok;

    pthread_mutex_lock(&lock);
    n = count_below(address);
    ok = n && list[n - 1].base == address && list[n - 1].kind == PIECE_DEVICE;
    if (ok) {
        uint64_t from = (address - (uint64_t)(uintptr_t)device + PAGE - 1) / PAGE * PAGE, end;

        bytes = list[n - 1].bytes;
        end = (address - (uint64_t)(uintptr_t)device + bytes) / PAGE * PAGE;
        used -= bytes;
        erase(n - 1);
        if (end > from)
            fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
                      (off_t)(end - from));
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

bool
driver_find(uint64_t address, struct ptx_piece *out)
{
    const struct piece *p;

    pthread_mutex_lock(&lock);
    p = find(address);
    if (p)
        *out = (struct ptx_piece){p->base, p->bytes, pieces_at(p->base)};
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

unsigned
driver_generation(void)
{
    return atomic_load(&generation);
}

/* Pieces of other processes: each lies in one of our own, on the same part of a page. */
struct loan {
    struct loan *next;
    uint64_t own, address;
    struct pieces_handle handle;
    unsigned n_uses;
};
static struct loan *loans; /* guarded by lock */

bool
pieces_describe(uint64_t address, struct pieces_handle *out)
{
    const struct piece *p;

    pthread_mutex_lock(&lock);
    p = pieces_is_device(address) ? find(address) : NULL;
    if (p)
        *out =
            (struct pieces_handle){getpid(), file, p->base - (uint64_t)(uintptr_t)device, p->bytes};
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

/* Puts pages of a file where the piece lies. */
static bool
lay(uint64_t address, int fd, uint64_t offset, size_t bytes)
{
    uint64_t first = offset / PAGE * PAGE, n = (offset - first + bytes + PAGE - 1) / PAGE * PAGE;
    uint64_t at = address - (uint64_t)(uintptr_t)device - (offset - first);

    return mmap(device + at, n, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, (off_t)first) !=
               MAP_FAILED &&
           mmap(alias + at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)first) !=
               MAP_FAILED;
}

static struct loan *
find_loan(const struct pieces_handle *h)
{
    struct loan *l = loans;

    while (l && memcmp(&l->handle, h, sizeof(*h)) != 0)
        l = l->next;
    return l;
}

uint64_t
pieces_borrow(const struct pieces_handle *h)
{
    struct loan *l;
    char path[64];
    int fd;

    pthread_mutex_lock(&lock);
    l = find_loan(h);
    if (l)
        l->n_uses++;
    pthread_mutex_unlock(&lock);
    if (l)
        return l->address;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", h->process, h->file);
    fd = open(path, O_RDWR | O_CLOEXEC);
    l = calloc(1, sizeof(*l));
    if (fd < 0 || !l)
        return 0;
    *l = (struct loan){.own = driver_alloc(h->bytes + 3 * PAGE), .handle = *h, .n_uses = 1};
    l->address = (l->own - (uint64_t)(uintptr_t)device + PAGE - 1) / PAGE * PAGE +
                 h->offset % PAGE + (uint64_t)(uintptr_t)device;
    if (!l->own || !lay(l->address, fd, h->offset, h->bytes))
        return 0;
    close(fd);
    pthread_mutex_lock(&lock);
    l->next = loans;
    loans = l;
    pthread_mutex_unlock(&lock);
    return l->address;
}

bool
pieces_give_back(uint64_t address)
{
    struct loan **at, *l;
    bool is_last;

    pthread_mutex_lock(&lock);
    for (at = &loans; *at && (*at)->address != address; at = &(*at)->next)
        continue;
    l = *at;
    is_last = l && --l->n_uses == 0;
    if (is_last)
        *at = l->next;
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return l != NULL;
    lay(address, file, address - (uint64_t)(uintptr_t)device, l->handle.bytes);
    driver_free(l->own);
    free(l);
    return true;
}
