#!/bin/sh
# SPDX-License-Identifier: MIT
# hipify-findcode.sh all|headers|sources|cuda DIRECTORY...: the names of the sources there, a line each, for the scripts
# beside it.
which=$1
shift
case $which in
all) pattern='\.(cu|cuh|cpp|cxx|c|cc|h|hpp|hh|inc|inl|hxx|hdl)$' ;;
headers) pattern='\.(cuh|h|hpp|hh|inc|inl|hxx|hdl)$' ;;
sources) pattern='\.(cu|cpp|cxx|c|cc)$' ;;
cuda) pattern='\.cu$' ;;
*)
    echo "hipify-findcode.sh: '$which' is none of all, headers, sources, cuda" >&2
    exit 1
    ;;
esac
find "$@" -type f | grep -iE "$pattern" | LC_ALL=C sort
