/* SPDX-License-Identifier: MIT */
/* The driver's memory: the device's, that of the host that it knows, and which of it is there. */
#ifndef PTX_DRIVER_PIECES_H
#define PTX_DRIVER_PIECES_H

#include "ptx.h"

enum piece_kind { PIECE_NONE = 0, PIECE_DEVICE, PIECE_PINNED, PIECE_MANAGED };

bool pieces_open(void);
/* All of it goes: who touches some of it then gets a signal. */
void pieces_close(void);
size_t pieces_total(void);
size_t pieces_left(void);
/* Whether an address is one of the device's, whatever lies there. */
bool pieces_is_device(uint64_t address);
/* What lies at an address of the host's. */
enum piece_kind pieces_host_kind(uint64_t address);
/* Where the host finds what lies at an address. */
char *pieces_at(uint64_t address);
/* The piece at an address of the device's for other processes, and one of theirs here: false, or 0,
 * where there is none. Theirs is given up by its address. */
struct pieces_handle {
    int32_t process, file;
    uint64_t offset, bytes; /* in the file */
};
bool pieces_describe(uint64_t address, struct pieces_handle *out);
uint64_t pieces_borrow(const struct pieces_handle *handle);
bool pieces_give_back(uint64_t address);
/* Memory of the host's becomes known, and unknown. */
bool pieces_add(void *base, size_t bytes, enum piece_kind kind);
bool pieces_remove(const void *base);

#endif
