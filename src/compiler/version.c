/* SPDX-License-Identifier: MIT */
/* The compiler's version is the build id of the object it lives in. */
#include "compiler/compiler.h"

#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char version[80] = "unknown";

static void
read_notes(const char *p, size_t bytes)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)p;
        size_t name = (note->n_namesz + 3u) & ~3u, desc = (note->n_descsz + 3u) & ~3u;
        const unsigned char *id = (const unsigned char *)p + sizeof(*note) + name;

        if (sizeof(*note) + name + desc > bytes)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= 32)
            for (size_t i = 0; i < note->n_descsz; i++)
                snprintf(version + 2 * i, 3, "%02x", id[i]);
        p += sizeof(*note) + name + desc;
        bytes -= sizeof(*note) + name + desc;
    }
}

static int
visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    ElfW(Addr) here = (ElfW(Addr))(uintptr_t)version;
    bool ours = false;

    (void)size;
    (void)user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        ElfW(Addr) lo = info->dlpi_addr + ph->p_vaddr;

        ours |= ph->p_type == PT_LOAD && here >= lo && here < lo + ph->p_memsz;
    }
    for (int i = 0; ours && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

        if (ph->p_type == PT_NOTE)
            read_notes((const char *)(uintptr_t)(info->dlpi_addr + ph->p_vaddr), ph->p_memsz);
    }
    return ours;
}

static void
find_version(void)
{
    dl_iterate_phdr(visit_object, NULL);
}

const char *
ls_compiler_version(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_version);
    return version;
}
