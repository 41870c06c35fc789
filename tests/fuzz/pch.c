/* SPDX-License-Identifier: MIT */
/* Fuzzes hiprtc's precompiled headers: whatever lies under the names of one in the cache, the file
 * that clang would be given holds what was made, or there is none. The driver that makes it is this
 * program, by another option: needs no clang. */
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "fuzz/mutate.h"
#include "hiprtc/rtc_priv.h"

static char folder[64], self[PATH_MAX];

/* As hipcc with -Xclang -emit-pch ... -Xclang -o -Xclang FILE: what it writes depends on the
 * options. */
static int
be_hipcc(int argc, char **argv)
{
    const char *out = NULL;
    FILE *f;

    for (int i = 1; i + 2 < argc; i++)
        if (!strcmp(argv[i], "-o"))
            out = argv[i + 2];
    f = fopen(argv[argc - 1], "rb"); /* the source: waits for what is no file */
    if (!f || fgetc(f) != EOF)
        return 1;
    fclose(f);
    f = out ? fopen(out, "wb") : NULL;
    if (!f)
        return 1;
    for (int i = 0; i < 3000; i++)
        fprintf(f, "%d %s\n", i * 7919, argv[1]);
    return fclose(f) != 0;
}

static bool
is_right(const char *path, const char *option)
{
    char line[256], want[256];
    FILE *f = fopen(path, "rb");
    bool ok = f != NULL;

    for (int i = 0; ok && i < 3000; i++) {
        snprintf(want, sizeof(want), "%d %s\n", i * 7919, option);
        ok = fgets(line, sizeof(line), f) && strcmp(line, want) == 0;
    }
    ok = ok && fgetc(f) == EOF;
    if (f)
        fclose(f);
    return ok;
}

static void
at_end(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        printf("left behind: %s\n", folder);
}

static void
begin(void)
{
    snprintf(folder, sizeof(folder), "/tmp/ls-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        exit(2);
    atexit(at_end);
    setenv("LOCKSTEP_CACHE_DIR", folder, 1);
}

static void
rewrite(const char *path, struct fuzz_random *r)
{
    static char data[1 << 20];
    struct stat st;
    FILE *f = lstat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    size_t n = f ? fread(data, 1, sizeof(data), f) : 0;

    if (!f)
        return;
    fclose(f);
    fuzz_damage(r, data, &n);
    f = fopen(path, "wb");
    if (f) {
        fwrite(data, 1, n, f);
        fclose(f);
    }
}

static void
damage(const char *path, struct fuzz_random *r)
{
    switch (fuzz_below(r, 10)) {
    case 0:
        unlink(path);
        mkfifo(path, 0600);
        break;
    case 1:
        unlink(path);
        mkdir(path, 0700);
        break;
    case 2:
        if (unlink(path) == 0 && symlink("/etc/passwd", path) != 0)
            printf("no link\n");
        break;
    case 3:
        unlink(path);
        break;
    default:
        rewrite(path, r);
        break;
    }
}

/* Each file of the folder is damaged, or isn't. */
static void
damage_some(struct fuzz_random *r)
{
    char path[PATH_MAX];
    struct dirent *d;
    DIR *dir = opendir(folder);

    while (dir && (d = readdir(dir)) != NULL) {
        if (d->d_name[0] == '.' || fuzz_below(r, 2))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
        damage(path, r);
    }
    if (dir)
        closedir(dir);
}

static bool
one(uint64_t seed)
{
    static const char *const sets[] = {"-DA", "-DB"};
    struct fuzz_random r = {seed};
    char path[PATH_MAX];

    damage_some(&r);
    for (size_t i = 0; i < 2; i++) {
        char *option = (char *)(uintptr_t)sets[i];

        if (!ls_rtc_pch_find(self, &option, 1, path) || !is_right(path, sets[i])) {
            printf("pch: %s is not what was made\n", path);
            return false;
        }
    }
    return true;
}

int
main(int argc, char **argv)
{
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-emit-pch"))
            return be_hipcc(argc, argv);
    if (n <= 0)
        return 2;
    return fuzz_main(argc, argv, &(struct fuzzer){"pch", begin, one});
}
