# SPDX-License-Identifier: GPL-2.0-or-later
#
# Test whole event building systems in network namespaces on the host: tests/evb/run.

.PHONY: check-evb evb-programs

evb-programs: utils $(O)/evb/bad_link $(O)/evb/clock.so

$(O)/evb/bad_link: $(O)/tests/evb/bad_link.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(O)/evb/clock.so: tests/evb/clock.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $<

# REPEAT=N runs each case N times; ONLY="WORD ..." selects cases.
check-evb: packages evb-programs
	@O=$(O) tests/evb/run $(if $(REPEAT),--repeat $(REPEAT)) $(ONLY)
