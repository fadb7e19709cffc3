# SPDX-License-Identifier: GPL-2.0-or-later
"""The ledger, outside of the guest: scenarios, figures, targets, plots."""
