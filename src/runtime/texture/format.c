/* SPDX-License-Identifier: MIT */
/* The formats of texels and the descriptors that HIP names them by. */
#include "runtime/texture/texture.h"

struct row {
    hipArray_Format format;
    hipChannelFormatKind kind;
    int bits;
    int view; /* of one channel; those of 2 and 4 channels follow */
};

static const struct row rows[] = {
    {HIP_AD_FORMAT_UNSIGNED_INT8, hipChannelFormatKindUnsigned, 8, hipResViewFormatUnsignedChar1},
    {HIP_AD_FORMAT_UNSIGNED_INT16, hipChannelFormatKindUnsigned, 16,
     hipResViewFormatUnsignedShort1},
    {HIP_AD_FORMAT_UNSIGNED_INT32, hipChannelFormatKindUnsigned, 32, hipResViewFormatUnsignedInt1},
    {HIP_AD_FORMAT_SIGNED_INT8, hipChannelFormatKindSigned, 8, hipResViewFormatSignedChar1},
    {HIP_AD_FORMAT_SIGNED_INT16, hipChannelFormatKindSigned, 16, hipResViewFormatSignedShort1},
    {HIP_AD_FORMAT_SIGNED_INT32, hipChannelFormatKindSigned, 32, hipResViewFormatSignedInt1},
    {HIP_AD_FORMAT_HALF, hipChannelFormatKindFloat, 16, hipResViewFormatHalf1},
    {HIP_AD_FORMAT_FLOAT, hipChannelFormatKindFloat, 32, hipResViewFormatFloat1},
};
#define N_ROWS (sizeof(rows) / sizeof(*rows))

static const struct row *
find(hipArray_Format format)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].format == format)
            return &rows[i];
    return NULL;
}

static bool
is_count(unsigned n)
{
    return n == 1 || n == 2 || n == 4;
}

size_t
ls_format_bytes(struct ls_format f)
{
    const struct row *row = find(f.format);

    return row && is_count(f.n_channels) ? (size_t)row->bits / 8 * f.n_channels : 0;
}

bool
ls_format_of_desc(const hipChannelFormatDesc *desc, struct ls_format *f)
{
    const int c[4] = {desc->x, desc->y, desc->z, desc->w};
    unsigned n = 0;

    while (n < 4 && c[n] != 0)
        n++;
    for (unsigned i = 0; i < 4; i++)
        if (c[i] != (i < n ? c[0] : 0))
            return false;
    if (!is_count(n))
        return false;
    for (size_t i = 0; i < N_ROWS; i++) {
        if (rows[i].kind == desc->f && rows[i].bits == c[0]) {
            *f = (struct ls_format){rows[i].format, n};
            return true;
        }
    }
    return false;
}

hipChannelFormatDesc
ls_format_desc(struct ls_format f)
{
    hipChannelFormatDesc desc = {.f = hipChannelFormatKindNone};
    const struct row *row = find(f.format);

    if (!row)
        return desc;
    desc.f = row->kind;
    desc.x = row->bits;
    desc.y = f.n_channels > 1 ? row->bits : 0;
    desc.z = desc.w = f.n_channels > 2 ? row->bits : 0;
    return desc;
}

bool
ls_format_of_view(enum hipResourceViewFormat view, struct ls_format *f)
{
    for (size_t i = 0; i < N_ROWS; i++) {
        int k = (int)view - rows[i].view;

        if (k >= 0 && k < 3) {
            *f = (struct ls_format){rows[i].format, 1u << k};
            return true;
        }
    }
    return false;
}

enum hipResourceViewFormat
ls_format_view(struct ls_format f)
{
    const struct row *row = find(f.format);
    int k = f.n_channels == 4 ? 2 : (int)f.n_channels - 1;

    return row ? (enum hipResourceViewFormat)(row->view + k) : hipResViewFormatNone;
}
