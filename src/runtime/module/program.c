/* SPDX-License-Identifier: MIT */
/* Which architecture the program was built for, before it has registered its device code: a static
 * initialiser may call HIP earlier than the one that registers. The fat binary lies in memory
 * already; the program's file says in which section. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/module/module.h"

#define SECTION ".hip_fatbin"

struct search {
    char *arch;
    size_t arch_bytes;
};

static bool
read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    return at <= INT64_MAX && pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static bool
is_loaded(const struct dl_phdr_info *info, const Elf64_Shdr *section)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && section->sh_addr >= p->p_vaddr &&
            section->sh_size <= p->p_filesz &&
            section->sh_addr - p->p_vaddr <= p->p_filesz - section->sh_size)
            return true;
    }
    return false;
}

/* The section with the name, among those of the file. */
static bool
find_section(int fd, Elf64_Shdr *found)
{
    Elf64_Ehdr head;
    Elf64_Shdr *sections = NULL;
    bool ok = false;

    if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(*sections) ||
        head.e_shstrndx >= head.e_shnum)
        return false;
    sections = malloc(head.e_shnum * sizeof(*sections));
    if (sections && read_at(fd, sections, head.e_shnum * sizeof(*sections), head.e_shoff)) {
        uint64_t names = sections[head.e_shstrndx].sh_offset;

        for (unsigned i = 0; i < head.e_shnum && !ok; i++) {
            char name[sizeof(SECTION)];

            ok = sections[i].sh_type == SHT_PROGBITS && (sections[i].sh_flags & SHF_ALLOC) &&
                 read_at(fd, name, sizeof(name), names + sections[i].sh_name) &&
                 memcmp(name, SECTION, sizeof(name)) == 0;
            if (ok)
                *found = sections[i];
        }
    }
    free(sections);
    return ok;
}

/* Called for each object in memory: the program first, then its libraries. */
static int
look(struct dl_phdr_info *info, size_t bytes, void *user)
{
    struct search *s = user;
    int fd = open(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    Elf64_Shdr section;
    bool found;

    (void)bytes;
    if (fd < 0)
        return 0;
    found = find_section(fd, &section) && is_loaded(info, &section) &&
            ls_fatbin_choose((const void *)(info->dlpi_addr + section.sh_addr), section.sh_size,
                             s->arch, s->arch_bytes);
    close(fd);
    return found;
}

bool
ls_program_choose_arch(char *arch, size_t bytes)
{
    struct search s = {arch, bytes};

    return dl_iterate_phdr(look, &s) != 0;
}
