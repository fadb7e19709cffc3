#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Inside the guest: run the scenarios of a file, with one program and its arguments per line. The output
# of each goes to /run/out/NUMBER.json. After a failed scenario the others still run.

number=0
while read -r -a words; do
	timeout -k 5 "${words[0]}" "/usr/lib/roc/bench/${words[1]}" "${words[@]:2}" \
		> "/run/out/$number.json" 2> "/run/out/$number.err" < /dev/null
	status=$?
	echo "$number $status $(cut -d' ' -f1 /proc/uptime)"
	number=$((number + 1))
done < /usr/lib/roc/bench/scenarios
