# SPDX-License-Identifier: MIT
# A thin front for CMake: `make`, `make check [T=glob]`, `make check-full`, `make check-far`, `make check-strict`, `make check-cuda`, `make check-ptx`,
# `make demo`, `make bench`, `make asan|ubsan|tsan|valgrind`.
# It expects the packages of scripts/deps.sh; `./lockstep VERB` installs them first.
PRESET ?= $(if $(CI),ci,default)
JOBS   ?= $(shell nproc)
T      ?=

.PHONY: all configure site check check-full check-far check-strict check-cuda check-ptx demo bench asan ubsan tsan valgrind format lint clean

all: configure
	@cmake --build build -j $(JOBS)

configure:
	@cmake --preset $(PRESET) > .configure.log 2>&1 || { cat .configure.log; exit 1; }
	@mv .configure.log build/configure.log
	@ln -sf build/compile_commands.json compile_commands.json

check: all
	@T='$(T)' JOBS=$(JOBS) scripts/check.sh build

# Every case at both levels, on every instruction set, with all block shapes: more than an hour on two cores.
check-full: all
	@FULL=1 LS_TEST_SHAPES=all T='$(T)' JOBS=$(JOBS) scripts/check.sh build hip

# Unit tests and corpus on a device whose memory the host cannot touch (LOCKSTEP_FAR); tests/far.txt says what can't run there.
check-far: all
	@FAR=1 T='$(T)' JOBS=$(JOBS) scripts/check.sh build

# The same in strict mode (LOCKSTEP_STRICT), but for tests/strict.txt; with FAR=1 on the far device, too.
check-strict: all
	@STRICT=1 T='$(T)' JOBS=$(JOBS) scripts/check.sh build

# The corpus on an NVIDIA GPU with code for the processor SM (sm_90), but for tests/cuda.txt; RANDOM_PROGRAMS=N random programs and kernels
# beside it. PACK=DIR builds them there for another machine, which runs DIR/run without compiler, LLVM or CUDA toolkit.
check-cuda: all
	@CUDA=1 T='$(T)' JOBS=$(JOBS) PACK='$(PACK)' RANDOM_PROGRAMS='$(RANDOM_PROGRAMS)' SM='$(SM)' scripts/check.sh build

# The same on the CPU, by a driver that runs PTX (tests/ptx_driver), but for tests/ptx.txt.
check-ptx: all
	@CUDA=1 PTX=1 T='$(T)' JOBS=$(JOBS) RANDOM_PROGRAMS='$(RANDOM_PROGRAMS)' SM='$(SM)' scripts/check.sh build

# The documentation as static pages, in build/site.
site: all
	@scripts/site.sh build

# On a terminal ninja's line moves; in a pipe the build says nothing unless it fails.
demo: configure
	@[ -t 1 ] && quiet= || quiet="-- --quiet"; cmake --build build -j $(JOBS) $$quiet
	@scripts/demo.sh build

bench: all
	@bench/run $(ARGS)

# The unit tests of a sanitizer build; the lowered kernels themselves are not instrumented.
# GCC's thread sanitizer sometimes finds its address taken where addresses are random.
asan ubsan tsan: FIXED = $(if $(filter tsan,$@),$(shell setarch -R true 2>/dev/null && echo setarch -R))
asan ubsan tsan:
	@cmake --preset $@ > /dev/null
	@cmake --build build-$@ -j $(JOBS)
	@T='$(T)' JOBS=$(JOBS) $(FIXED) scripts/check.sh build-$@ unit

valgrind: all
	@set -e; for t in build/tests/unit/test_*; do \
	    echo "$$t"; valgrind -q --error-exitcode=9 --suppressions=tests/unit/valgrind.supp $$t; \
	done

format:
	@scripts/format.sh

lint: configure
	@scripts/lint.sh build

clean:
	@rm -rf build build-asan build-ubsan build-tsan build-debug compile_commands.json
