/* SPDX-License-Identifier: MIT */
/* Options that have the compiler run code which is not its own. AMD's hiprtc compiles in the
 * process and takes some of them; here nobody who only chooses options gets further than the
 * compiler. */
#include <string.h>

#include "base/env.h"
#include "hiprtc/rtc_priv.h"

static const char *const refused[] = {
    "-load",
    "--load", /* load shared objects, behind -Xclang or -mllvm */
    "-plugin",
    "-add-plugin",
    "-fplugin",
    "-fpass-plugin",
    "--fplugin",
    "-B",
    "--prefix",
    "-fuse-ld",
    "--ld-path",
    "-ccc-", /* run programs from other places */
    "-fno-integrated-as",
    "-no-integrated-as",
    "-specs",
    "--specs",
    "-wrapper",
    "--config",
    "@",
    "-cc1", /* name files with more options, or have the driver hear others */
};

static bool
begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool
is_refused(const char *option)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (begins(option, refused[i]))
            return true;
    return false;
}

bool
ls_rtc_refuses(const char *option)
{
    static const char *const wraps[] = {"-Xclang=", "-mllvm=", "-Xarch_"};
    const char *inner = NULL;

    if (ls_env_bool(LS_ENV_HIPRTC_PLUGINS))
        return false;
    for (size_t i = 0; i < sizeof(wraps) / sizeof(wraps[0]); i++)
        if (begins(option, wraps[i]))
            inner = strchr(option, '=');
    if (begins(option, "-W")) /* -Wl,a,b and its like hand words to other programs */
        inner = strchr(option, ',');
    for (; inner; inner = strpbrk(inner + 1, ",="))
        if (is_refused(inner + 1))
            return true;
    return is_refused(option);
}
