#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fifo.sh CARD DEPTH WORDS...: run roc-ledger with descriptor FIFOs of another depth. The driver reads
# the depth at probe, so the module is loaded again; afterwards the old depth is restored.

card=$1 depth=$2
shift 2

deep()
{
	modprobe -r roc && emuctl "$card" set all fifo-depth "$1" > /dev/null && modprobe roc &&
		udevadm settle --timeout=30
}

deep "$depth" || exit 1
/usr/lib/roc/bench/roc-ledger "$@"
status=$?
deep 128
exit $status
