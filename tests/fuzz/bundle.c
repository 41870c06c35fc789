/* SPDX-License-Identifier: MIT */
/* Fuzzes the readers of offload bundles, plain and compressed, of programs' sections that hold
 * them, of offload binaries, of code objects' metadata, and of URIs. LS_FUZZ_BUNDLES names a folder
 * of files to begin with; or else hipcc makes them. No entry may lie outside of its bundle, and a
 * text that is no URI of a range is refused. */
#include <dirent.h>
#include <sys/stat.h>

#include "container.h"
#include "uri.h"
#include "base/codeobject.h"
#include "base/file.h"
#include "base/offload.h"
#include "fuzz/mutate.h"

#define MAX_FILES 16

/* Without HIP's headers, which would take longer than the tries. */
static const char source[] =
    "__attribute__((device)) int variable = 5;\n"
    "#ifndef SMALL\n"
    "struct S { double d; int *p; };\n"
    "extern \"C\" __attribute__((global)) void add(int *out, const int *a, S s, int n)\n"
    "{ out[n] = a[n] + *s.p + variable; }\n"
    "#endif\n";

static char folder[64];
static struct bytes files[MAX_FILES];
static size_t n_files;

static void
at_end(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        printf("bundle: %s is left\n", folder);
}

/* Objects, plain and compressed, bundles, and a code object; before there are processes that try.
 */
static void
make_files(void)
{
    static const char *const commands[] = {
        "hipcc -DSMALL -c lib.hip -o plain.o",
        "hipcc -DSMALL -c --offload-compress lib.hip -o packed.o",
        "hipcc --genco --offload-arch=gfx90a,gfx1100 lib.hip -o plain.co",
        "lsobj --unbundle . plain.co",
        "lsobj --bundle zstd.co --compress "
        "hipv4-amdgcn-amd-amdhsa--gfx90a=1.hipv4-amdgcn-amd-amdhsa--gfx90a",
        "lsobj --bundle zlib.co --compress=zlib "
        "hipv4-amdgcn-amd-amdhsa--gfx90a=1.hipv4-amdgcn-amd-amdhsa--gfx90a",
    };
    char command[1024];
    FILE *f;

    snprintf(folder, sizeof(folder), "/tmp/ls-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        exit(2);
    atexit(at_end);
    snprintf(command, sizeof(command), "%s/lib.hip", folder);
    f = fopen(command, "w");
    if (!f || fputs(source, f) < 0 || fclose(f) != 0)
        exit(2);
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
        snprintf(command, sizeof(command), "cd %s && %s/bin/%s", folder, LS_FUZZ_BUILD,
                 commands[i]);
        if (system(command) != 0)
            exit(2);
    }
}

static void
begin(void)
{
    const char *from = getenv("LS_FUZZ_BUNDLES");
    char path[512];
    struct dirent *d;
    DIR *dir;

    dir = opendir(from ? from : folder);
    while (dir && (d = readdir(dir)) != NULL && n_files < MAX_FILES) {
        struct stat st;
        void *data;

        snprintf(path, sizeof(path), "%s/%s", from ? from : folder, d->d_name);
        if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
            !ls_file_read(path, &data, &files[n_files].n))
            continue;
        files[n_files++].data = data;
    }
    if (dir)
        closedir(dir);
    if (!n_files)
        exit(2);
}

static void
kernel(void *user, const struct ls_metadata_kernel *k)
{
    *(unsigned *)user += (unsigned)k->name.n + k->needs.vgprs;
}

static void
arg(void *user, const struct ls_metadata_arg *a)
{
    *(unsigned *)user += a->offset + (unsigned)a->type.n;
}

static void
look_into(struct bytes object)
{
    volatile unsigned sum = 0;
    unsigned count = 0;
    struct ls_metadata_visitor visitor = {kernel, arg, &count};
    struct ls_resources needs;
    size_t n;
    const void *notes = ls_codeobject_notes(object.data, object.n, &n);

    if (notes) {
        ls_codeobject_visit(notes, n, &visitor);
        ls_codeobject_kernel(notes, n, "add", &needs);
    }
    sum += count;
}

/* Its bytes are all there: they are touched. */
static bool
visit(void *user, const struct entry *entry)
{
    const struct bytes *file = user;
    struct bytes whole = entry->container->bundle, part;
    volatile char sum = 0;

    if (!entry->container->is_packed)
        whole = *file;
    if (entry->data.n &&
        (entry->data.data < whole.data ||
         !slice(whole, (uint64_t)(entry->data.data - whole.data), entry->data.n, &part))) {
        printf("bundle: entry %s lies outside\n", entry->id);
        return false;
    }
    for (size_t i = 0; i < entry->data.n; i += 256)
        sum = (char)(sum + entry->data.data[i]);
    look_into(entry->data);
    return true;
}

static bool
try_uri(struct fuzz_random *r)
{
    static const char *const texts[] = {"file://a%20b#offset=0x10&size=010&entry=3",
                                        "memory://1234?offset=5&size=6", "file://x"};
    char text[128], why[512];
    size_t n;
    struct uri uri;

    snprintf(text, sizeof(text), "%s", texts[fuzz_below(r, 3)]);
    n = strlen(text);
    fuzz_damage(r, text, &n);
    text[n] = 0;
    if (!uri_parse(text, &uri, why, sizeof(why)))
        return *why != 0;
    uri_fini(&uri);
    return true;
}

/* LLVM's format: what is read lies inside. */
static bool
try_offload(struct fuzz_random *r)
{
    struct ls_offload o = {"gfx90a", "unit", "", "bitcode", 7}, got;
    size_t n = ls_offload_bytes(&o), used = 0;
    char *data = calloc(1, n);
    bool ok;

    ls_offload_write(&o, data);
    fuzz_damage(r, data, &n);
    data = realloc(data, n ? n : 1);
    ok = ls_offload_read(data, n, &got, &used) != LS_OFFLOAD_READ ||
         (used <= n && got.image >= data && got.image_bytes <= n &&
          (size_t)(got.image - data) <= n - got.image_bytes && strlen(got.arch) < n &&
          strlen(got.device) < n && (!got.unit || strlen(got.unit) < n));
    free(data);
    return ok;
}

static bool
one(uint64_t seed)
{
    struct fuzz_random r = {seed};
    size_t which = fuzz_below(&r, n_files), n = files[which].n;
    char *data = malloc(n ? n : 1), why[512];
    struct bytes file = {data, n};
    struct visitor visitor = {NULL, visit, &file};
    bool ok;

    memcpy(data, files[which].data, n);
    fuzz_damage(&r, data, &n);
    file.data = data = realloc(data, n ? n : 1); /* so that a sanitizer sees its end */
    file.n = n;
    ok = container_visit(file, &visitor, why, sizeof(why)) || *why;
    look_into(file);
    free(data);
    return ok && try_uri(&r) && try_offload(&r);
}

int
main(int argc, char **argv)
{
    if (!getenv("LS_FUZZ_BUNDLES"))
        make_files();
    return fuzz_main(argc, argv, &(struct fuzzer){"bundle", begin, one});
}
