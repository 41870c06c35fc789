/* SPDX-License-Identifier: MIT */
/* rocminfo: the machine's processor and the devices as ROCm's tool of that name prints agents, for
 * build scripts that look for "Name: gfx...", "Marketing Name", "Wavefront Size", "Compute Unit"
 * and the names of instruction sets in it. What has no counterpart here is not printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "device.h"

#define PROGRAM "rocminfo"

static void
text(int indent, const char *name, const char *value)
{
    printf("%*s%-25s%-35s\n", indent, "", name, value);
}

/* "64(0x40)", and a unit. */
static void
number(int indent, const char *name, unsigned long long value, const char *unit)
{
    char buffer[64];

    snprintf(buffer, sizeof(buffer), "%llu(0x%llx)%s%s", value, value, *unit ? " " : "", unit);
    text(indent, name, buffer);
}

static void
plain(int indent, const char *name, unsigned long long value)
{
    char buffer[32];

    snprintf(buffer, sizeof(buffer), "%llu", value);
    text(indent, name, buffer);
}

static void
title(const char *line, const char *name)
{
    printf("%-25s\n%-25s\n%-25s\n", line, name, line);
}

static void
print_agent(int index)
{
    char name[32];

    snprintf(name, sizeof(name), "Agent %d", index);
    title("*******", name);
}

static void
print_pool(int index, const char *segment, unsigned long long kb)
{
    char name[32];

    snprintf(name, sizeof(name), "Pool %d", index);
    text(4, name, "");
    text(6, "Segment:", segment);
    number(6, "Size:", kb, "KB");
    text(6, "Allocatable:", "TRUE");
    text(6, "Alloc Granule:", "4KB");
    text(6, "Accessible by all:", "TRUE");
}

/* "model name" of the first processor. */
static void
host_name(char *out, size_t bytes)
{
    FILE *f = fopen("/proc/cpuinfo", "re");
    struct utsname host;
    char line[512];

    snprintf(out, bytes, "%s", uname(&host) == 0 ? host.machine : "CPU");
    while (f && fgets(line, sizeof(line), f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            snprintf(out, bytes, "%s", strchr(line, ':') + 2);
            out[strcspn(out, "\n")] = 0;
            break;
        }
    if (f)
        fclose(f);
}

static void
print_host(void)
{
    long cache = sysconf(_SC_LEVEL1_DCACHE_SIZE), line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
    struct sysinfo info;
    char name[256];

    host_name(name, sizeof(name));
    print_agent(1);
    text(2, "Name:", name);
    text(2, "Uuid:", "CPU-XX");
    text(2, "Marketing Name:", name);
    text(2, "Vendor Name:", "CPU");
    text(2, "Feature:", "None specified");
    text(2, "Profile:", "FULL_PROFILE");
    text(2, "Device Type:", "CPU");
    text(2, "Cache Info:", "");
    number(4, "L1:", cache > 0 ? (unsigned long long)cache / 1024 : 0, "KB");
    number(2, "Cacheline Size:", line > 0 ? (unsigned long long)line : 64, "");
    plain(2, "Compute Unit:", (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN));
    text(2, "Features:", "None");
    text(2, "Pool Info:", "");
    if (sysinfo(&info) == 0)
        print_pool(1, "GLOBAL; FLAGS: FINE GRAINED",
                   (unsigned long long)info.totalram * info.mem_unit / 1024);
    text(2, "ISA Info:", "");
}

static void
print_grid(const hipDeviceProp_t *prop)
{
    static const char *const axes[] = {"x", "y", "z"};

    number(2, "Wavefront Size:", (unsigned)prop->warpSize, "");
    number(2, "Workgroup Max Size:", (unsigned)prop->maxThreadsPerBlock, "");
    text(2, "Workgroup Max Size per Dimension:", "");
    for (int i = 0; i < 3; i++)
        number(4, axes[i], (unsigned)prop->maxThreadsDim[i], "");
    number(2, "Max Waves Per CU:",
           (unsigned)(prop->maxThreadsPerMultiProcessor / (prop->warpSize ? prop->warpSize : 1)),
           "");
    number(2, "Max Work-item Per CU:", (unsigned)prop->maxThreadsPerMultiProcessor, "");
    number(2, "Grid Max Size:", 0xffffffff, "");
    text(2, "Grid Max Size per Dimension:", "");
    for (int i = 0; i < 3; i++)
        number(4, axes[i], (unsigned)prop->maxGridSize[i], "");
}

static void
print_isa(const hipDeviceProp_t *prop)
{
    char isa[512];

    snprintf(isa, sizeof(isa), "amdgcn-amd-amdhsa--%s", prop->gcnArchName);
    text(2, "ISA Info:", "");
    text(4, "ISA 1", "");
    text(6, "Name:", isa);
    text(6, "Machine Models:", "HSA_MACHINE_MODEL_LARGE");
    text(6, "Profiles:", "HSA_PROFILE_BASE");
    text(6, "Default Rounding Mode:", "NEAR");
    text(6, "Fast f16:", "TRUE");
    number(6, "Workgroup Max Size:", (unsigned)prop->maxThreadsPerBlock, "");
}

/* Devices are numbered behind the host. */
static int n_agents = 1;

static void
print_device(const hipDeviceProp_t *prop)
{
    char uuid[32], name[64];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(prop->gcnArchName, ":"), prop->gcnArchName);
    snprintf(uuid, sizeof(uuid), "GPU-%.16s", prop->uuid.bytes);
    print_agent(++n_agents);
    text(2, "Name:", name);
    text(2, "Uuid:", uuid);
    text(2, "Marketing Name:", prop->name);
    text(2, "Vendor Name:", "AMD");
    text(2, "Feature:", "KERNEL_DISPATCH");
    text(2, "Profile:", "BASE_PROFILE");
    text(2, "Float Round Mode:", "NEAR");
    plain(2, "Node:", (unsigned)n_agents - 1);
    text(2, "Device Type:", "GPU");
    text(2, "Cache Info:", "");
    number(4, "L2:", (unsigned)prop->l2CacheSize / 1024, "KB");
    plain(2, "Max Clock Freq. (MHz):", (unsigned)prop->clockRate / 1000);
    plain(2, "Compute Unit:", (unsigned)prop->multiProcessorCount);
    plain(2, "SIMDs per CU:", (unsigned)prop->executionUnitsPerMultiprocessor);
    text(2, "Features:", "KERNEL_DISPATCH");
    text(2, "Fast F16 Operation:", "TRUE");
    print_grid(prop);
    text(2, "Pool Info:", "");
    print_pool(1, "GLOBAL; FLAGS: COARSE GRAINED", prop->totalGlobalMem / 1024);
    text(4, "Pool 2", "");
    text(6, "Segment:", "GROUP");
    number(6, "Size:", prop->sharedMemPerBlock / 1024, "KB");
    print_isa(prop);
}

int
main(int argc, char **argv)
{
    ls_file_check_output();
    if (argc > 1) {
        bool help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");

        fputs("usage: rocminfo\nPrints this machine's processor and its devices in the form of "
              "ROCm's rocminfo.\n",
              help ? stdout : stderr);
        return !help;
    }
    title("=====================", "HSA System Attributes");
    text(0, "Runtime Version:", "1.14");
    text(0, "Machine Model:", "LARGE");
    text(0, "System Endianness:", "LITTLE");
    putchar('\n');
    title("==========", "HSA Agents");
    print_host();
    each_gfx(PROGRAM, print_device);
    puts("*** Done ***             ");
    return 0;
}
