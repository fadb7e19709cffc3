# SPDX-License-Identifier: GPL-2.0-or-later
"""
The scripts with which kernel developers check a patch. Debian has them only in the package of the
kernel's source, the rest of which is removed.
"""

import subprocess

from . import root
from .util import VmError

SCRIPTS = "/usr/src/scripts"

_SCRIPT = """
set -e
cd /usr/src
tar --strip-components=1 -xf linux-source-*.tar.xz --wildcards \
	'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch' \
	'*/scripts/coccinelle' '*/Documentation/dev-tools/checkpatch.rst'
rm linux-source-*
# Coccinelle loads Python by the name that only a package for developers has.
ln -s libpython3.13.so.1.0 /usr/lib/x86_64-linux-gnu/libpython3.13.so
"""


def key():
    """Return what the tree depends on besides the packages."""
    return [_SCRIPT]


def unpack(top):
    """Keep the scripts of the kernel source that was unpacked in this tree."""
    made = root.run(top, _SCRIPT, [], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode:
        raise VmError("the kernel's scripts are not in its source:\n" + made.stdout.strip())
