/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device nodes and the ABI without the library, sysfs, and taking the driver off and on.
 *
 * @id is as for roc_find(): "245:0" is endpoint 0 of the first card. All end the program with `Bail
 * out!` where the guest itself is broken.
 */
#ifndef CASE_NODE_H
#define CASE_NODE_H

#include <roc/roc.h>

#include <stdbool.h>
#include <stdint.h>

#define CARD0 0u
#define CARD1 1u
#define EP0 "245:0"
#define EP1 "245:1"
#define OTHER_EP0 "246:0"
#define OTHER_EP1 "246:1"
/* The third card, a C-RORC. */
#define CRORC0 2u
#define CRORC_ID "1003:0"

/* The library finds it: what asks a tool for that cannot tell a tool that fails. */
bool card_there(const char *id);
/* "/dev/rocN" or, with a channel, "/dev/rocNchM"; the text stays until the next call. */
const char *node_path(const char *id, int channel);
/* An open descriptor, or -errno. channel -1: the endpoint. */
int node_open(const char *id, int channel);
/* open() of this path in a moment: -errno or a descriptor. */
int open_rw(const char *path);

/* ioctl: 0 or -errno. @arg starts with its size. */
int abi(int fd, unsigned long nr, void *arg);

/* The registers by the raw ABI; the value is 0 or -errno. */
int reg_read(int fd, unsigned int bar, uint32_t offset, uint32_t *value);
int reg_write(int fd, unsigned int bar, uint32_t offset, uint32_t value);
int reg_modify(int fd, unsigned int bar, uint32_t offset, uint32_t mask, uint32_t value,
	       uint32_t *before);

/* The same of an endpoint that is opened for it. */
int endpoint_abi(const char *id, unsigned long nr, void *arg);
int endpoint_write(const char *id, unsigned int bar, uint32_t offset, uint32_t value);

/* START, STOP, RESET, KICK with nothing but flags or level. */
int control(int fd, unsigned long nr, uint32_t flags, uint32_t level);
struct roc_ch_info ch_info(int fd);

/* First line of a file of the node's sysfs directory; "" if there is none. */
const char *node_attr(const char *id, int channel, const char *name);
/* The same of one that is a number. */
uint64_t node_count(const char *id, int channel, const char *name);
/* The channel's kernel thread: its process id, 0 = there is none; its state as in /proc/PID/stat.
 */
int thread_pid(const char *id, int channel);
char thread_state(const char *id, int channel);
/* What a channel's driver counted since it took the card, and how much more than @before. */
struct counters {
	uint64_t interrupts, missed, spurious, reads, retries;
};
struct counters counters(const char *id, int channel);
struct counters counters_since(const char *id, int channel, struct counters before);
/* "0000:bb:dd.f" */
const char *pci_address(const char *id);
/* Does a translating IOMMU lie between card and memory? */
bool translated(const char *id);
/* Does the card have the event interface? */
bool has_events(const char *id);
/* Are its channels streams? */
bool has_streams(const char *id);
/* Are they sub-units? */
bool has_fragments(const char *id);
/* PCI command register: may the card write? */
bool bus_master(const char *id);

/* Write a text to a file; 0 or -errno. */
int put_text(const char *path, const char *text);
/* How often the driver looks at the card's temperature: the usual, until the next probe. */
#define LOOK_USUAL_MS 5000
int look_every(const char *id, unsigned int ms);
/* Unbind and bind a PCI function; wait for its nodes. @address because an unbound one has no id. */
int driver_unbind(const char *address);
bool driver_bind(const char *address);
/* Both endpoints of a card: off and on. */
bool rebind_card(unsigned int card);
/* Its vectors are there while the driver has it. */
bool has_msix(const char *address);
/* Endpoints that udev has made links of. */
unsigned int nodes_there(void);
/* Until udev has made the links of all @count endpoints, at most a while. */
bool wait_nodes(unsigned int count);

/* Run a command with a limit; its exit status, or -1. Output without limit is cut at @size. */
int shell(char *out, unsigned long size, unsigned int ms, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* CASE_NODE_H */
