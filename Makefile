# SPDX-License-Identifier: GPL-2.0-or-later
#
# roc: driver, library and tools for PCIe readout cards. `make help` lists the targets.
#
# One make for everything in user space: each folder's build.mk adds its rules, all output goes
# to $(O). The kernel module is built by kbuild (kmod/Kbuild) for the kernel in $(KVER).

O ?= build
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
UDEVDIR ?= /usr/lib/udev/rules.d
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

CC ?= gcc
CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
	-Wno-unused-parameter
WERROR ?=
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) $(WERROR) -MMD -MP $(CPPFLAGS) $(CFLAGS)

.DELETE_ON_ERROR:
.PHONY: all kmod libroc utils install uninstall demo check bench clean help shell

all: libroc utils

include libroc/build.mk
include utils/build.mk
include udev/build.mk
include tests/emu/build.mk
include tests/unit/build.mk
include tests/vm/build.mk

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

-include $(shell find $(O) -name '*.d' 2>/dev/null)

clean:
	rm -rf $(O)
