# SPDX-License-Identifier: GPL-2.0-or-later
#
# roc: driver, library and tools for PCIe readout cards. `make help` lists the targets.
#
# One make for everything in user space: each folder's build.mk adds its rules, all output goes
# to $(O). The kernel module is built by kbuild (kmod/Kbuild) for the kernel in $(KVER).

O ?= build
# O is relative to this folder: the compiler's dependency files name the objects by that path.
relative = $(shell realpath -m --relative-to="$(1)" "$(2)")
override O := $(call relative,.,$(O))
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
UDEVDIR ?= /usr/lib/udev/rules.d
DKMS ?= dkms
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
KMOD := $(abspath $(O))/kmod/$(KVER)

# The only place of the version is dkms.conf: the module, the libraries, their pkg-config files, the
# tools and the source archive take it from here.
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

ifeq ($(origin CC),default)
CC := gcc
endif
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
	-Wno-unused-parameter
WERROR ?=
# A header in quotes is beside the including file, or its path starts at this folder.
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -iquote . $(WARN) $(WERROR) -MMD -MP $(CPPFLAGS) $(CFLAGS)

.DELETE_ON_ERROR:
.PHONY: all kmod kmod-install dkms-install dkms-uninstall libroc utils install uninstall demo check bench clean dist help shell

all: libroc utils

BUILD_MK := libroc/build.mk utils/build.mk udev/build.mk \
	$(addprefix tests/,emu/build.mk unit/build.mk fuzz/build.mk vm/build.mk bench/build.mk evb/build.mk)
# Objects also depend on the makefiles, which set their flags.
RULES := Makefile $(BUILD_MK)
include $(BUILD_MK)

# Installed files find each other by relative paths, so PREFIX is not compiled in. The file changes
# when these paths do: `make install` may be called with other folders than `make`.
WAYS = $(call relative,$(LIBDIR),$(DATADIR)) $(call relative,$(BINDIR),$(LIBDIR))

.PHONY: always
$(O)/relative: always
	@mkdir -p $(@D)
	@echo '$(WAYS)' | cmp -s - $@ || echo '$(WAYS)' > $@

$(O)/%.o: %.c $(RULES)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

-include $(shell find $(O) \( -path $(O)/vm -o -path $(O)/kmod \) -prune -o -name '*.d' -print 2>/dev/null)

# kbuild writes beside the sources, so it gets a copy; -u keeps unchanged files. The variables of this
# command line are not passed: O has another meaning there. The environment passes (INSTALL_MOD_PATH, LLVM), except
# variables that select kbuild's output folder or architecture: they are removed unless given on this
# command line.
KBUILD_OWN := ARCH SUBARCH CROSS_COMPILE KBUILD_OUTPUT KBUILD_EXTMOD KBUILD_EXTMOD_OUTPUT \
	KBUILD_EXTRA_SYMBOLS
KBUILD = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
	$(foreach name,$(KBUILD_OWN),$(if $(filter environment%,$(origin $(name))),-u $(name))) \
	kmod/kbuild "$(KMOD)" $(MAKE) -j$(shell nproc) -C "$(KDIR)" ROC_VERSION=$(VERSION)

kmod:
	@test -d "$(KDIR)" || { echo "make kmod: no kernel headers in $(KDIR): install the headers" \
		"package of kernel $(KVER), or give KDIR=" >&2; exit 1; }
	@mkdir -p "$(KMOD)"
	cp -ru kmod/. "$(KMOD)"
	$(KBUILD) modules

kmod-install: kmod
	$(KBUILD) modules_install
	$(if $(INSTALL_MOD_PATH),,depmod $(KVER))

# The module for every kernel that is or will be installed, built by DKMS.
DKMS_SOURCE := /usr/src/roc-$(VERSION)

dkms-install:
	@DESTDIR="$(DESTDIR)" DKMS="$(DKMS)" kmod/dkms-install $(VERSION) "$(DKMS_SOURCE)"

dkms-uninstall:
	$(if $(DESTDIR),,! "$(DKMS)" status -m roc -v $(VERSION) 2>/dev/null | grep -q . || \
		"$(DKMS)" remove -m roc -v $(VERSION) --all)
	rm -rf "$(DESTDIR)$(DKMS_SOURCE)"

# Installed files by folder and name, quoted for the shell: a folder may have a space in its name.
installed = $(foreach file,$(notdir $(2)),"$(DESTDIR)$(1)/$(file)")

install: install-libroc install-utils install-udev

uninstall: uninstall-libroc uninstall-utils uninstall-udev

clean:
	rm -rf $(O)

# The source archive of HEAD. One commit gives the same bytes in any checkout: git sorts the files and
# dates them by the commit, and gzip stores neither a name nor a time.
DIST := roc-$(VERSION)

dist:
	@git ls-files --error-unmatch Makefile > /dev/null || { \
		echo "make dist: this folder is not a git checkout of roc" >&2; exit 1; }
	@test -z "$$(git status --porcelain)" || { git status --short >&2; \
		echo "make dist: uncommitted changes: commit or remove these files" >&2; exit 1; }
	@mkdir -p "$(O)"
	git -c tar.umask=0022 archive --format=tar --prefix="$(DIST)/" -o "$(O)/$(DIST).tar" HEAD
	gzip -9nf "$(O)/$(DIST).tar"

help:
	@echo 'all            libroc and the tools'
	@echo 'kmod           roc.ko for kernel KVER (default: the running one; headers in KDIR)'
	@echo 'libroc         the C library'
	@echo 'utils          the command-line tools'
	@echo 'install        library, headers, tools, manual pages, udev rules, units (PREFIX, DESTDIR)'
	@echo 'uninstall      remove what install put there'
	@echo 'kmod-install   install roc.ko for KVER by kbuild'
	@echo 'dkms-install   give the module to DKMS, which builds it for every kernel'
	@echo 'dkms-uninstall take it from DKMS'
	@echo 'demo           two emulated CRUs in a guest: take and check data on four endpoints; with'
	@echo '               CARD=p40 an emulated PCIe40: read and check its seven streams; with'
	@echo '               CARD=robinnp an emulated RobinNP: fetch and check some of its events; with'
	@echo '               EVB=1 no card: build events on four nodes in network namespaces'
	@echo 'check          everything that must be green: style, unit tests, guest tests'
	@echo 'check-lint     of the sources: W=1, sparse, checkpatch, kernel-doc, codespell'
	@echo 'check-analysis Coccinelle with the scripts of the kernel, and the static analyzer of clang'
	@echo 'check-compilers libraries and tools by gcc 12 to 15 and clang 14 to 19, -O2, -O3 and LTO'
	@echo 'check-evb      whole systems of event building in network namespaces: what fails, and comes back'
	@echo 'check-service  the installed units under systemd in a guest, and events built from cards of three kinds'
	@echo 'check-power    recordings whose receiver is killed, or whose machine loses its power, 20 times each'
	@echo 'check-debug    the cases on a kernel with lockdep, KASAN and DMA-API debugging, which is compiled first'
	@echo 'check-matrix   every way out of a channel in every phase of it, five times (hours)'
	@echo 'soak           all channels of two CRUs and a C-RORC at once, for SOAK_SECONDS (60), in a guest'
	@echo 'unit           unit tests only'
	@echo 'check-sanitizers unit tests of event building with ASan and UBSan, then with TSan'
	@echo 'fuzz           fuzz what is read from the network (clang; FUZZ_TIME seconds for each target)'
	@echo 'bench          the ledger: costs and ratios of readout in a guest (FULL=1: whole matrix)'
	@echo 'shell          a shell in a guest with the module loaded and the tools on PATH'
	@echo 'packages       install the packages that building and testing need'
	@echo 'dist           source archive of HEAD: $(O)/$(DIST).tar.gz; the tree must be clean'
	@echo 'clean          remove $(O)/ (fetched packages stay in the cache, see README.md)'
