# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements of event building: the parts of tests/bench/evb, and their arithmetic."""
