/* SPDX-License-Identifier: MIT */
/* What a program's code objects for AMD hardware say that its kernels need. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/codeobject.h"
#include "container.h"
#include "front.h"
#include "lsreview.h"

struct search {
    struct measures *m;
    const char *arch;
};

static void
visit_kernel(void *user, const struct ls_metadata_kernel *k)
{
    const struct search *s = user;

    for (size_t i = 0; i < s->m->n_kernels; i++) {
        struct kernel *to = &s->m->kernels[i];
        struct code *c;

        if (strlen(to->name) != k->name.n || memcmp(to->name, k->name.at, k->name.n) != 0)
            continue;
        to->codes = front_must(realloc(to->codes, (to->n_codes + 1) * sizeof(*to->codes)));
        c = &to->codes[to->n_codes++];
        *c = (struct code){.arch = front_must(strdup(s->arch)),
                           .needs = k->needs,
                           .vgpr_spills = k->vgpr_spills,
                           .sgpr_spills = k->sgpr_spills};
    }
}

static void
visit_arg(void *user, const struct ls_metadata_arg *arg)
{
    (void)user;
    (void)arg;
}

static bool
visit_entry(void *user, const struct entry *e)
{
    static const char prefix[] = "hipv4-amdgcn-amd-amdhsa--";
    struct search s = {user, e->id + sizeof(prefix) - 1};
    const struct ls_metadata_visitor visitor = {visit_kernel, visit_arg, &s};
    const void *notes;
    size_t n;

    if (strncmp(e->id, prefix, sizeof(prefix) - 1) != 0 || !e->data.n)
        return true;
    notes = ls_codeobject_notes(e->data.data, e->data.n, &n);
    if (notes)
        ls_codeobject_visit(notes, n, &visitor);
    return true;
}

static void
look_into(struct measures *m, const char *path)
{
    const struct visitor visitor = {NULL, visit_entry, m};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    struct bytes section;
    char why[256];

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (at != MAP_FAILED) {
            struct bytes file = {at, (size_t)st.st_size};

            if (container_section(file, &section) && section.n)
                container_visit(file, &visitor, why, sizeof(why));
            munmap(at, (size_t)st.st_size);
        }
    }
    close(fd);
}

void
find_codes(struct measures *m, const char *program)
{
    const char *path = getenv("PATH");
    char file[4096];

    if (strchr(program, '/')) {
        look_into(m, program);
        return;
    }
    for (const char *at = path ? path : ""; *at;) {
        size_t n = strcspn(at, ":");

        snprintf(file, sizeof(file), "%.*s/%s", (int)n, at, program);
        if (access(file, X_OK) == 0) {
            look_into(m, file);
            return;
        }
        at += n + (at[n] == ':');
    }
}
