/* SPDX-License-Identifier: MIT */
/* The link: clang as a C++ driver, with our runtime behind what the user named; or an archive. */
#include "hipcc_priv.h"

#include <errno.h>
#include <string.h>

static void
add_runtime(const struct ls_plan *plan, struct ls_strv *argv)
{
    /* CMake names the library of its HIP language, but gives no path for run time. */
    if (plan->as_clang && plan->archs_named && !plan->partial_link)
        ls_strv_pushf(argv, "-Wl,-rpath,%s", ls_install.lib_dir);
    if (plan->no_runtime || plan->partial_link)
        return;
    ls_strv_pushf(argv, "-L%s", ls_install.lib_dir);
    ls_strv_pushf(argv, "-Wl,-rpath,%s", ls_install.lib_dir);
    ls_strv_push(argv, "-lamdhip64");
    ls_strv_push(argv, "-lm");
    ls_strv_push(argv, "-lpthread");
}

/* --emit-static-lib: an archive of the objects, device code inside them; linker options mean
 * nothing here. */
static int
archive(const struct ls_plan *plan, char **objects)
{
    struct ls_strv argv = {0};

    ls_strv_push(&argv, "ar");
    ls_strv_push(&argv, "rcsD");
    ls_strv_push(&argv, plan->output ? plan->output : "a.out");
    for (size_t i = 0; i < plan->n_inputs; i++)
        ls_strv_push(&argv, objects[i] ? objects[i] : plan->inputs[i].path);
    if (plan->verbose || plan->dry_run)
        ls_command_print(&argv);
    return plan->dry_run ? 0 : ls_run(&argv);
}

/* -dlink: the linked device code as an object, for a link by the host's compiler. */
static int
write_device_link(const struct ls_plan *plan, const char *object)
{
    const char *output = plan->output ? plan->output : "a_dlink.o";
    struct ls_buf data = {0};

    if (ls_buf_read(&data, object) && ls_file_write(output, data.data, data.n))
        return 0;
    ls_say_error("cannot write '%s': %s", output, strerror(errno));
    return 1;
}

int
ls_link(const struct ls_plan *plan, char **objects)
{
    struct ls_strv argv = {0};
    char *device_object = NULL;

    if (plan->static_lib)
        return archive(plan, objects);
    if (!plan->partial_link && !plan->dry_run) {
        int status = ls_rdc_link(plan, objects, &device_object);

        if (status)
            return status;
        if (plan->device_link)
            return write_device_link(plan, device_object);
    }
    ls_strv_push(&argv, ls_install.clang);
    ls_strv_push(&argv, "--driver-mode=g++");
    ls_strv_push(&argv, "-Wno-unused-command-line-argument");
    if (plan->output) {
        ls_strv_push(&argv, "-o");
        ls_strv_push(&argv, plan->output);
    }
    for (size_t i = 0; i < plan->n_link; i++) {
        const struct ls_link_item *item = &plan->link[i];

        if (item->option)
            ls_strv_push(&argv, item->option);
        else
            ls_strv_push(&argv, objects[item->input] ? objects[item->input]
                                                     : plan->inputs[item->input].path);
    }
    if (device_object)
        ls_strv_push(&argv, device_object);
    add_runtime(plan, &argv);
    if (plan->verbose || plan->dry_run)
        ls_command_print(&argv);
    return plan->dry_run ? 0 : ls_run(&argv);
}
