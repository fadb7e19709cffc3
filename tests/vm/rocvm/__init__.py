# SPDX-License-Identifier: GPL-2.0-or-later
"""The virtual machine of the tests: caches, image, emulated cards, QEMU, kernel log."""
