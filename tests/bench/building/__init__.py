# SPDX-License-Identifier: GPL-2.0-or-later
"""Event building measured: what tests/bench/evb runs, and the arithmetic of it."""
