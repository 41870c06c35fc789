#!/bin/sh
# SPDX-License-Identifier: MIT
# Formats the lines of C files that differ from HEAD.
set -eu
cd "$(dirname "$0")/.."
if command -v git-clang-format >/dev/null 2>&1; then
    exec git clang-format --force --extensions c,h HEAD
fi
git diff --name-only HEAD -- '*.c' '*.h' | xargs -r clang-format -i
