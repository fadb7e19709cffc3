# SPDX-License-Identifier: GPL-2.0-or-later
"""A tree of unpacked packages as the root of a command. Without privilege, too, where user namespaces are allowed."""

import os

from . import util

LIMIT = 3600  # a build beside guests may take long


def run(root, command, binds, limit=LIMIT, **kwargs):
    """
    Run a shell command with this folder as its root. binds: (host directory, place below /mnt)
    pairs.
    """
    # chroot is in a folder that is not in the PATH of ordinary users.
    script = ["set -e", "PATH=$PATH:/usr/sbin:/sbin",
              "mount --rbind /dev %s/dev" % root, "mount --rbind /proc %s/proc" % root,
              "mount -t tmpfs tmpfs %s/mnt" % root, "mount -t tmpfs tmpfs %s/tmp" % root]
    for host, place in binds:
        script += ["mkdir -p %s/mnt/%s" % (root, place),
                   "mount --bind '%s' %s/mnt/%s" % (host, root, place)]
    script.append("exec chroot %s /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C "
                  "/bin/bash -c \"$1\"" % root)
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    argv = ["unshare"] + user + ["--mount", "sh", "-c", "\n".join(script), "sh", command]
    return util.run(argv, limit, "a command in %s" % root, **kwargs)
