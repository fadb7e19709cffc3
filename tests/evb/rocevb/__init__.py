# SPDX-License-Identifier: GPL-2.0-or-later
"""Whole systems of event building on one machine, each node in a network namespace of its own."""
