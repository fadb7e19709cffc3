# SPDX-License-Identifier: GPL-2.0-or-later
#
# Install the udev rules, the group of the device nodes, and an example of memory limits.

SYSUSERSDIR ?= /usr/lib/sysusers.d
DOCDIR ?= $(PREFIX)/share/doc/roc

.PHONY: install-udev uninstall-udev

# Without DESTDIR, also create the group and apply the rules.
install-udev:
	install -d "$(DESTDIR)$(UDEVDIR)" "$(DESTDIR)$(SYSUSERSDIR)" "$(DESTDIR)$(DOCDIR)"
	install -m 644 udev/60-roc.rules "$(DESTDIR)$(UDEVDIR)"
	install -m 644 udev/roc.sysusers "$(DESTDIR)$(SYSUSERSDIR)/roc.conf"
	install -m 644 udev/roc.limits "$(DESTDIR)$(DOCDIR)/limits.conf.example"
	$(if $(DESTDIR),,if command -v systemd-sysusers >/dev/null; \
		then systemd-sysusers "$(SYSUSERSDIR)/roc.conf"; else groupadd -r -f roc; fi)
	$(if $(DESTDIR),,! command -v udevadm || { udevadm control --reload && udevadm trigger -s roc; } || true)

uninstall-udev:
	rm -f "$(DESTDIR)$(UDEVDIR)/60-roc.rules" "$(DESTDIR)$(SYSUSERSDIR)/roc.conf"
	rm -f "$(DESTDIR)$(DOCDIR)/limits.conf.example"
	rmdir "$(DESTDIR)$(DOCDIR)" 2>/dev/null || true
