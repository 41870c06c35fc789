/* SPDX-License-Identifier: MIT */
/* The offload bundle of what was compiled, compressed if that was asked for. */
#include "hipcc_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bundle.h"

/* AMD's runtime reads the entries in order, so those it knows come first. */
static size_t
list_entries(const struct ls_image *images, size_t n, struct ls_bundle_part *parts)
{
    size_t count = 0;

    parts[count++] = (struct ls_bundle_part){.id = LS_BUNDLE_ID_HOST};
    for (size_t i = 0; i < n; i++)
        if (images[i].code.n)
            parts[count++] =
                (struct ls_bundle_part){ls_hipcc_format(LS_BUNDLE_ID_AMD "%s", images[i].arch),
                                        images[i].code.data, images[i].code.n};
    for (size_t i = 0; i < n; i++) {
        int base = (int)strcspn(images[i].arch, ":");

        parts[count++] =
            (struct ls_bundle_part){ls_hipcc_format(LS_BUNDLE_ID_LSBC "%.*s", base, images[i].arch),
                                    images[i].lsbc.data, images[i].lsbc.n};
        if (images[i].ahead.n)
            parts[count++] = (struct ls_bundle_part){
                ls_hipcc_format(LS_BUNDLE_ID_LSAO "%.*s", base, images[i].arch),
                images[i].ahead.data, images[i].ahead.n};
    }
    return count;
}

/* Without libzstd clang takes zlib, too. */
static void
compress(const struct ls_plan *plan, struct ls_buf *bundle)
{
    int level = plan->compression_level;
    char why[256];
    void *packed;
    size_t n;

    if (!ls_packed_pack(bundle->data, bundle->n, LS_PACKING_ZSTD, level, &packed, &n, why,
                        sizeof(why)) &&
        !ls_packed_pack(bundle->data, bundle->n, LS_PACKING_ZLIB, level > 9 ? 9 : level, &packed,
                        &n, why, sizeof(why))) {
        ls_say_warning("the offload bundle is not compressed: %s", why);
        return;
    }
    bundle->n = 0;
    ls_buf_add(bundle, packed, n);
    free(packed);
}

void
ls_bundle_build(const struct ls_plan *plan, const struct ls_image *images, size_t n,
                struct ls_buf *out)
{
    struct ls_bundle_part *parts = ls_hipcc_alloc((1 + 3 * n) * sizeof(*parts));
    size_t count = list_entries(images, n, parts);

    ls_bundle_write(parts, count, ls_buf_grow(out, ls_bundle_bytes(parts, count)));
    if (plan->compress)
        compress(plan, out);
}
