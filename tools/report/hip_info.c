/* SPDX-License-Identifier: MIT */
/* hipInfo: the properties of all devices, in the format of HIP's sample of that name. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "device.h"

#define PROGRAM "hipInfo"
#define LINE    "--------------------------------------------------------------------------------"

static void
label(const char *name)
{
    char text[64];

    snprintf(text, sizeof(text), "%s:", name);
    printf("%-34s", text);
}

static void
print_properties(const hipDeviceProp_t *prop)
{
#define LS_INFO(name, member)                                                                      \
    label(name);                                                                                   \
    printf("%lld\n", (long long)prop->member);
#define LS_INFO_TEXT(name, member)                                                                 \
    label(name);                                                                                   \
    printf("%s\n", prop->member);
#define LS_INFO_MHZ(name, member)                                                                  \
    label(name);                                                                                   \
    printf("%g Mhz\n", prop->member / 1000.0);
#define LS_INFO_KB(name, member)                                                                   \
    label(name);                                                                                   \
    printf("%.2f KB\n", (double)prop->member / 1024);
#define LS_INFO_GB(name, member)                                                                   \
    label(name);                                                                                   \
    printf("%.2f GB\n", (double)prop->member / (1 << 30));
#include "hip_info.def"
#undef LS_INFO
#undef LS_INFO_TEXT
#undef LS_INFO_MHZ
#undef LS_INFO_KB
#undef LS_INFO_GB
}

/* The devices whose memory this one can reach, or those it cannot: as in the document, itself is
 * one of them. */
static void
print_peers(int device, int n, bool reached)
{
    label(reached ? "peers" : "non-peers");
    for (int i = 0; i < n; i++) {
        int can = 0;

        check(PROGRAM, "hipDeviceCanAccessPeer", hipDeviceCanAccessPeer(&can, device, i));
        if ((can != 0) == reached)
            printf("device#%d ", i);
    }
    putchar('\n');
}

static void
print_device(int device, int n)
{
    hipDeviceProp_t prop;
    size_t free_bytes, total;

    check(PROGRAM, "hipSetDevice", hipSetDevice(device));
    check(PROGRAM, "hipGetDeviceProperties", hipGetDeviceProperties(&prop, device));
    puts(LINE);
    label("device#");
    printf("%d\n", device);
    label("Name");
    printf("%s\n", prop.name);
    print_properties(&prop);
    print_peers(device, n, true);
    print_peers(device, n, false);
    check(PROGRAM, "hipMemGetInfo", hipMemGetInfo(&free_bytes, &total));
    putchar('\n');
    label("memInfo.total");
    printf("%.2f GB\n", (double)total / (1 << 30));
    label("memInfo.free");
    printf("%.2f GB (%.0f%%)\n", (double)free_bytes / (1 << 30),
           total ? 100.0 * (double)free_bytes / (double)total : 0);
}

int
main(int argc, char **argv)
{
    int n;

    ls_file_check_output();
    if (argc > 1) {
        bool help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");

        fputs("usage: hipInfo\nPrints the properties of all devices.\n", help ? stdout : stderr);
        return !help;
    }
    n = count_devices(PROGRAM);
    if (!n) {
        fputs(PROGRAM ": no device\n", stderr);
        return 1;
    }
    for (int i = 0; i < n; i++)
        print_device(i, n);
    return 0;
}
