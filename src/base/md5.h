/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321), which the header of a compressed offload bundle has a part of. No protection
 * against forgery. */
#ifndef LS_BASE_MD5_H
#define LS_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

void ls_md5_of(const void *data, size_t bytes, uint8_t digest[16]);

#endif
