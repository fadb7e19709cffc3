# SPDX-License-Identifier: GPL-2.0-or-later
#
# The emulated card: $(O)/emu/roc-emu. The models are in core/, a folder for each card. EMU_OBJS is
# everything but main, for the unit tests.

EMU_SRCS := $(wildcard tests/emu/*.c tests/emu/core/*.c tests/emu/core/*/*.c tests/emu/server/*.c)
EMU_ALL_OBJS := $(EMU_SRCS:%.c=$(O)/%.o)
EMU_OBJS := $(filter-out %/server/main.o,$(EMU_ALL_OBJS))

.PHONY: emu
emu: $(O)/emu/roc-emu

$(EMU_ALL_OBJS): CFLAGS += -pthread

$(O)/emu/roc-emu: $(EMU_ALL_OBJS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -pthread -o $@ $^ -ljson-c
