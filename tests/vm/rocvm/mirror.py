# SPDX-License-Identifier: GPL-2.0-or-later
"""
Find mirrors of Debian's packages: the mirror of this machine's own apt, accessed as apt does. A
suite that the machine does not have is taken from the same mirror by its own name.
$ROC_DEBIAN_MIRROR names another one: the URL above its debian/ and debian-security/.
"""

import os
import re
import subprocess

from .util import VmError, say

VARIABLE = "ROC_DEBIAN_MIRROR"
LIMIT = 60.0

# apt's names of a suite of Debian: by code name, and by age.
_NAMES = ("bullseye", "bookworm", "trixie", "forky", "duke", "sid", "oldoldstable", "oldstable",
          "stable", "testing", "unstable")
_MAIN = re.compile(r"(%s)(-updates|-proposed-updates|-backports)?" % "|".join(_NAMES))
_SECURITY = re.compile(r"(%s)(-security|/updates)" % "|".join(_NAMES))

# Options of apt for its mirrors: proxies, certificates, wrong clocks; but not its caches.
_OURS_NOT = re.compile(r"Acquire::(IndexTargets|Changelogs|CompressionTypes|GzipIndexes|Languages|"
                       r"Allow\w*Repositories|cdrom)\b", re.IGNORECASE)
_OPTION = re.compile(r'(Acquire::\S+) "(.*)";')


def _ask(environment, *argv):
    """Return the output of one of apt's programs; "" if it is missing or fails."""
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=LIMIT,
                              env={**environment, "LC_ALL": "C"})
    except (FileNotFoundError, PermissionError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if not done.returncode else ""


def _targets(environment, *options):
    """Return (mirror, suite, origin or "") of all enabled sources of main, in order."""
    form = "$(REPO_URI)\t$(RELEASE)\t$(ORIGIN)"
    text = _ask(environment, "apt-get", "indextargets", *options, "--format", form,
                "Created-By: Packages", "Component: main")
    for line in dict.fromkeys(text.splitlines()):
        mirror, suite, origin = line.split("\t")
        yield mirror.rstrip("/"), suite, "" if origin.startswith("$(") else origin


def _configured(environment):
    """The mirrors of this machine's apt: {"debian": ..., "debian-security": ...}, where known."""
    # The origin is known for sources that were fetched before; the list of all sources does not
    # have it.
    made = {(mirror, suite): origin for mirror, suite, origin in _targets(environment)}
    found = {}
    for sure in (True, False):
        for mirror, suite, _ in _targets(environment, "--no-release-info"):
            origin = made.get((mirror, suite), "")
            if origin != "Debian" if sure else origin:
                continue
            if _SECURITY.fullmatch(suite):
                found.setdefault("debian-security", mirror)
            elif _MAIN.fullmatch(suite):
                found.setdefault("debian", mirror)
    return found


def mirrors(environment=os.environ):
    """Archive -> mirror, for "debian" and, when there is one, "debian-security"."""
    own = environment.get(VARIABLE)
    if own:
        return {name: own.rstrip("/") + "/" + name for name in ("debian", "debian-security")}
    found = _configured(environment)
    if "debian" not in found:
        raise VmError("no mirror of Debian is in this machine's apt configuration: name one, for "
                      "example %s=http://mirror.example.org" % VARIABLE)
    return found


def sources(wanted, environment=os.environ):
    """wanted: "ARCHIVE SUITE COMPONENT" each. Returns lines of a sources.list."""
    known, lines = mirrors(environment), []
    for one in wanted:
        archive, _, rest = one.partition(" ")
        if archive in known:
            lines.append("deb %s %s" % (known[archive], rest))
        else:
            say("cache: apt has no source of %s here: %s is left out" % (archive, rest))
    return lines


def apt_options(environment=os.environ):
    """Return options of apt, as lines of its configuration, with which it reaches a mirror here."""
    lines = []
    for line in _ask(environment, "apt-config", "dump").splitlines():
        match = _OPTION.fullmatch(line)
        if match and match.group(2) and not _OURS_NOT.match(match.group(1)):
            lines.append(line.rstrip(";"))
    # Names and passwords.
    for key, where in (("netrc", "/etc/apt/auth.conf"), ("netrcparts", "/etc/apt/auth.conf.d")):
        if os.access(where, os.R_OK):
            lines.append('Dir::Etc::%s "%s"' % (key, where))
    return lines
