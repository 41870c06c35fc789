/* SPDX-License-Identifier: MIT */
/* What the cache calls a kernel's code. */
#include "base/sha256.h"
#include "compiler/compiler.h"
#include "device/cpu/cpu_priv.h"
#include "ls_build_id.h"

void
ls_cpu_code_key(const struct ls_kernel_source *src, const struct ls_compile_options *opt,
                struct ls_cache_key *key)
{
    static const uint32_t abi = LS_CPU_ABI_VERSION;
    struct ls_sha256 sha;

    ls_sha256_init(&sha);
    ls_sha256_add(&sha, src->bitcode_sha256, 32);
    ls_options_add_key(opt, &sha);
    ls_sha256_add(&sha, &abi, sizeof(abi));
    ls_sha256_add(&sha, LS_BUILD_ID, sizeof(LS_BUILD_ID));
    ls_sha256_final(&sha, key->digest);
}
