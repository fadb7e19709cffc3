# SPDX-License-Identifier: GPL-2.0-or-later
"""
The command line of the virtual machine: a small two-socket server. Two NUMA nodes, each with one
CPU, half of the memory and its own PCIe host bridge; card K is on node K mod 2, each of its
endpoints behind its own root port.
"""

import json
import os
import re
import subprocess

from . import cache
from .util import VmError, build_dir, run

NODES = 2
IOMMU_ARGS = {"off": "intel_iommu=off", "on": "intel_iommu=on iommu=nopt",
              "pt": "intel_iommu=on iommu=pt"}

# tsc=reliable: emulated CPUs share the host's clock, and every other clock source is a slow device.
KERNEL_ARGS = ("console=ttyS0 loglevel=7 panic=-1 oops=panic tsc=reliable no_timer_check "
               "mitigations=off init_on_alloc=0 nmi_watchdog=0 rcupdate.rcu_cpu_stall_timeout=120 "
               "cryptomgr.notests "
               "watchdog_thresh=60")

# In emulation, the wide vectors that the C library prefers are its slowest choice, and strings with
# fast "rep" are copied and cleared byte by byte.
CPU = "max,-avx,-erms,-fsrm"


def parse_size(text):
    match = re.fullmatch(r"(\d+)([MG])", text)
    if not match:
        raise VmError("--memory %s: say for example 4G or 3072M" % text)
    size = int(match.group(1)) << (20 if match.group(2) == "M" else 30)
    if size < 1 << 30:
        raise VmError("--memory %s: the guest needs at least 1G" % text)
    return size


def _has_kvm():
    """/dev/kvm alone is not enough: only these two modules boot an unchanged kernel."""
    return (any(os.path.isdir("/sys/module/" + m) for m in ("kvm_intel", "kvm_amd"))
            and os.access("/dev/kvm", os.R_OK | os.W_OK))


def _accel(parallel):
    """
    Emulated processors, each with its own thread on a host without more processors, spin for locks
    whose holder does not run: 83 of 297 s of two guests of a check. In one thread they alternate,
    and one that waits yields at once.
    """
    if _has_kvm():
        return "kvm"
    crowded = not parallel and len(os.sched_getaffinity(0)) <= NODES
    return "tcg,thread=" + ("single" if crowded else "multi")


def _clock():
    """The guest's own measurement can be wrong by a factor on a busy machine: see tsc_khz.c."""
    program = os.path.join(build_dir(), "vm", "tsc_khz")
    if not os.path.exists(program):
        return []  # --no-build, and nothing is built yet
    khz = run([program], 60, "tsc_khz", text=True, stdout=subprocess.PIPE,
              check=True).stdout.strip()
    return ["tsc_early_khz=" + khz] if khz else []


def command(kernel, memory, gigapages, iommu, emulators, ports, initrd, console, tty=None, insns=None,
            monitor=None, shuffled=False, parallel=False, disk=None):
    """
    ports: port name -> path of the socket that QEMU connects to; console: file for the kernel
    log; tty: socket path of the terminal, or None; insns: (plugin, path of its socket) to count
    instructions, read through port roc.insns, or None; monitor: path of its socket, or None; shuffled:
    free memory is allocated in random order, as after a long uptime; parallel: its
    processors run in parallel, in spite of the cost; disk: socket of an NBD server, or None.
    """
    half = parse_size(memory) // NODES
    accel = _accel(parallel)
    argv = cache.qemu_command() + [
        "-name", "roc", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
        "-accel", accel, "-cpu", "host" if accel == "kvm" else CPU,
        # Little memory below the devices, so that each node has whole gigabytes.
        "-machine", "q35,usb=off,vmport=off,max-ram-below-4g=1G", "-m", "%dB" % (half * NODES),
        "-smp", "%d,sockets=%d,cores=1,threads=1" % (NODES, NODES),
        "-kernel", cache.kernel_image(kernel), "-initrd", initrd,
        "-append", " ".join([KERNEL_ARGS, IOMMU_ARGS[iommu], *_gigapages(gigapages), *_clock(),
                             *(["page_alloc.shuffle=1"] if shuffled else [])]),
        "-chardev", "file,id=console,path=" + console, "-serial", "chardev:console",
    ]
    for node in range(NODES):
        argv += ["-object", "memory-backend-memfd,id=mem%d,size=%d,share=on" % (node, half),
                 "-numa", "node,nodeid=%d,cpus=%d,memdev=mem%d" % (node, node, node)]
    if iommu != "off":
        # caching-mode: the guest reports every new mapping, which the cards' processes need.
        argv += ["-device", "intel-iommu,caching-mode=on,intremap=off"]
    for node in range(NODES):
        argv += ["-device", "pxb-pcie,id=socket%d,bus=pcie.0,bus_nr=%d,numa_node=%d" %
                 (node, 0x40 * (node + 1), node)]
    argv += _ports(ports, tty)
    if insns and accel != "kvm":
        argv += ["-chardev", "socket,id=insns,server=on,wait=off,path=" + insns[1],
                 "-device", "virtserialport,bus=ports.0,chardev=insns,name=roc.insns",
                 "-plugin", "file=%s,socket=%s" % insns]
    if monitor:
        argv += ["-qmp", "unix:%s,server=on,wait=off" % monitor]
    if disk:
        # cache=none: QEMU has no cache of its own besides the emulated disk's.
        argv += ["-drive", "id=disk,if=none,format=raw,cache=none,discard=ignore,file=nbd+unix:///?socket=" + disk,
                 "-device", "virtio-blk-pci,drive=disk,bus=pcie.0"]
    argv += _cards(emulators)
    return argv


def _gigapages(each):
    if not each:
        return []
    # A kernel at a random address may occupy the only whole gigabyte.
    return ["nokaslr", "hugepagesz=1G", "hugepages=" + ",".join("%d:%d" % (n, each) for n in range(NODES))]


def _ports(ports, tty):
    argv = ["-device", "virtio-serial-pci,id=ports,bus=pcie.0,max_ports=31"]
    if tty:
        argv += ["-chardev", "socket,id=tty,path=" + tty,
                 "-device", "virtconsole,bus=ports.0,chardev=tty"]
    for number, (name, path) in enumerate(ports.items()):
        # A card that was killed comes back to the same place.
        again = ",reconnect-ms=100" if name.startswith("roc.emu.") else ""
        argv += ["-chardev", "socket,id=port%d,path=%s%s" % (number, path, again),
                 "-device", "virtserialport,bus=ports.0,chardev=port%d,name=%s" % (number, name)]
    return argv


def function(card, endpoint):
    """Return a card's PCI function as -device and device_add accept it."""
    name = "card%dep%d" % (card.number, endpoint)
    return {"driver": "vfio-user-pci", "id": name, "bus": "port_" + name,
            "socket": {"type": "unix", "path": card.socket_path(endpoint)}}


def _cards(emulators):
    argv, slot = [], 0
    for card in emulators:
        for endpoint in range(card.endpoints):
            slot += 1
            name = "card%dep%d" % (card.number, endpoint)
            argv += ["-device", "pcie-root-port,id=port_%s,bus=socket%d,chassis=1,slot=%d" %
                     (name, card.number % NODES, slot)]
            argv += ["-device", json.dumps(function(card, endpoint))]
    return argv
