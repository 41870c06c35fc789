/* SPDX-License-Identifier: MIT */
/* The loader of the code cache: the input lies under the name of a file of code, of a text or of a
 * record of forms, alone or with a trailer behind it that is right, or right but for its hash. What
 * is found is what was stored, and nothing else is. The first byte says which. */
#include <sys/stat.h>

#include "device/common/cache.c"

#include "guided.h"
#include "device/cpu/form.h"

enum { MOST = 1 << 16 };

static const struct ls_cache_key key = {{1, 2, 3}};
static char folder[64];

static void
at_end(void)
{
    char command[96];

    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "left behind: %s\n", folder);
}

static void
begin(void)
{
    snprintf(folder, sizeof(folder), "%s/ls-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        exit(2);
    atexit(at_end);
    setenv("LOCKSTEP_CACHE_DIR", folder, 1);
}

static void
lay(const char *end, const void *data, size_t n, const void *more, size_t n_more)
{
    char path[192], name[NAME_BYTES];
    int fd;

    name_of(&key, end, name);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || !write_all(fd, data, n) || !write_all(fd, more, n_more))
        exit(2);
    close(fd);
}

static void
use_forms(const ls_form_record record)
{
    struct ls_forms forms = {0};

    ls_forms_recall(&forms, record);
    for (unsigned i = 0; i < LS_FORM_CLASSES; i++)
        for (unsigned times = 0; times < 12; times++) {
            enum ls_form form = ls_form_next(&forms, &forms.of[i], LS_FORM_KEPT);

            GUIDED_ASSERT(form < LS_N_FORMS);
            ls_form_note(&forms.of[i], form, 5 + (times + i) % 3);
        }
}

int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
    struct trailer t = {.magic = TRAILER_MAGIC};
    ls_form_record record;
    char path[PATH_MAX], *text;
    unsigned how;
    size_t bytes;
    bool right;

    if (!folder[0])
        begin();
    if (!n || n > MOST)
        return 0;
    how = *input++;
    t.elf_bytes = --n;
    memcpy(t.key, key.digest, 32);
    ls_sha256_of(input, n, t.elf_sha256);
    switch (how & 7) {
    case 0: /* as it is */
        lay(OBJECT, input, n, "", 0);
        lay(TEXT, input, n, "", 0);
        lay(FORMS, input, n, "", 0);
        right = is_sound((const char *)input, n, &key);
        GUIDED_ASSERT(ls_cache_find(&key, path, sizeof(path)) == right);
        text = ls_cache_find_text(&key, &bytes);
        GUIDED_ASSERT(!text || (right && bytes == n - sizeof(t)));
        free(text);
        if (ls_cache_find_forms(&key, record, sizeof(record)))
            use_forms(record);
        break;
    case 1: /* damaged somewhere in the trailer */
        if (n) {
            unsigned char *at = (unsigned char *)&t + input[0] % sizeof(t);

            *at = (unsigned char)(*at ^ (input[n - 1] | 1));
        }
        lay(OBJECT, input, n, &t, sizeof(t));
        GUIDED_ASSERT(ls_cache_find(&key, path, sizeof(path)) == (n == 0));
        GUIDED_ASSERT(ls_cache_find(&key, path, sizeof(path)) == (n == 0)); /* deleted */
        break;
    case 2: /* right */
        lay(TEXT, input, n, &t, sizeof(t));
        text = ls_cache_find_text(&key, &bytes);
        GUIDED_ASSERT(text && bytes == n && !memcmp(text, input, n) && !text[n]);
        free(text);
        break;
    case 3:
        ls_cache_store_text(&key, (const char *)input, n);
        text = ls_cache_find_text(&key, &bytes);
        GUIDED_ASSERT(text && bytes == n && !memcmp(text, input, n) && !text[n]);
        free(text);
        break;
    default: /* a record of forms with its right beginning */
        lay(FORMS, FORMS_MAGIC, sizeof(FORMS_MAGIC) - 1, input, n);
        right = n == sizeof(record);
        GUIDED_ASSERT(ls_cache_find_forms(&key, record, sizeof(record)) == right);
        if (right)
            use_forms(record);
        break;
    }
    return 0;
}
