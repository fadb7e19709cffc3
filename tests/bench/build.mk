# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build the ledger: the programs for the guest (readers, ledger), which tests/bench/run installs there,
# and the instruction counter of the virtual machine. All are $(O)/bench/NAME.

BENCH_LEDGER := counters ledger port readers snapshot
BENCH_READERS := fragment reader standin stream
BENCH_OBJS := $(patsubst %,$(O)/tests/bench/%.o,$(BENCH_LEDGER) $(BENCH_READERS) measured)

.PHONY: bench bench-programs bench-fabric

bench-programs: $(BENCH_READERS:%=$(O)/bench/roc-bench-%) $(O)/bench/roc-ledger $(O)/bench/insns.so

$(O)/bench/insns.so: tests/bench/insns.c $(RULES)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -shared -fPIC -fvisibility=hidden -pthread -o $@ $<

$(BENCH_OBJS): override CPPFLAGS += -Ilibroc/include

$(O)/bench/roc-ledger: $(BENCH_LEDGER:%=$(O)/tests/bench/%.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BENCH_READERS:%=$(O)/bench/roc-bench-%): $(O)/bench/roc-bench-%: $(O)/tests/bench/%.o \
		$(O)/tests/bench/measured.o $(LIBROC_LINKED)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBROC_LINK) -lnuma

# The quick form; FULL=1 the whole matrix, STRICT=1 fails for missed targets.
bench: packages
	@O=$(O) tests/bench/run $(if $(FULL),--full) $(if $(STRICT),--strict)

# The reference for roc-send in tests/bench/send; runs on the host.
$(O)/tests/bench/fabric.o: override CPPFLAGS += -Ilibroc/include
bench-fabric: $(O)/bench/fabric
$(O)/bench/fabric: $(O)/tests/bench/fabric.o $(O)/utils/libutils.a $(LIBROC_LINKED)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $(filter %.o %.a,$^) $(LIBROC_LINK) $(UTILS_LIBS) -lm
