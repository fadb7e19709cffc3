# SPDX-License-Identifier: GPL-2.0-or-later
"""
Build the debug kernel: Debian's source with debug.config beside this file, compiled once into the
cache. It has lockdep, KASAN, DMA-API debugging, checks of sleeping in atomic context, of freed
objects and of page accounting, and fault injection.
"""

import os
import shutil
import subprocess
import tempfile
import time

from . import root
from .util import VmError, say

PACKAGES = ["bash", "bc", "bison", "coreutils", "diffutils", "findutils", "flex", "gawk", "gcc",
            "grep", "gzip", "kmod", "libelf-dev", "libssl-dev", "linux-source", "make", "openssl",
            "perl", "sed", "tar", "xz-utils"]
BUILD_LIMIT = 4 * 3600  # with two processors that others use, too
_CONFIG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debug.config")

_SCRIPT = """
set -e
cd /mnt/work
tar --strip-components=1 -xf /usr/src/linux-source-*.tar.xz
KCONFIG_ALLCONFIG=debug.config make -s allnoconfig
# Kconfig silently drops unknown options, and those with a missing dependency.
grep '^CONFIG' debug.config | while read -r line; do
	case $line in
	*=n) grep -q "^${line%%=n}=" .config || continue ;;
	*) ! grep -qxF "$line" .config || continue ;;
	esac
	echo "debug.config: $line has no effect" && exit 1
done
make -s -j%d bzImage modules
release=$(make -s kernelrelease)
make -s INSTALL_MOD_STRIP=1 modules_install
rm -f /lib/modules/$release/build
make -s run-command KBUILD_RUN_COMMAND='+$(srctree)/scripts/package/install-extmod-build /usr/src/linux-debug'
ln -s /usr/src/linux-debug /lib/modules/$release/build
mkdir -p /boot
cp arch/x86/boot/bzImage /boot/vmlinuz-$release
rm -f /usr/src/linux-source-*
"""


def key():
    """Return what the kernel depends on besides the packages."""
    with open(_CONFIG, encoding="ascii") as f:
        return [f.read(), _SCRIPT]


def build(top):
    """Compile the kernel whose source was unpacked in this tree, and install it there."""
    say("cache: compiling the debug kernel: a quarter of an hour of two processors")
    begin = time.monotonic()
    work = tempfile.mkdtemp(prefix=".debug-", dir=os.path.dirname(top))
    try:
        shutil.copy(_CONFIG, os.path.join(work, "debug.config"))
        made = root.run(top, _SCRIPT % (os.cpu_count() or 1), [(work, "work")], BUILD_LIMIT, text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            raise VmError("the debug kernel does not compile:\n" + made.stdout.strip()[-4000:])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    say("cache: the debug kernel is compiled, in %.0f s" % (time.monotonic() - begin))
