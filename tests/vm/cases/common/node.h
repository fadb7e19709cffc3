/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device nodes and the ABI without the library, sysfs, and unbinding and binding the driver.
 *
 * @id is as for roc_find(): "245:0" is endpoint 0 of the first card. If the guest is broken, all
 * functions end the program with `Bail out!`.
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

/* Finds the card with the library: a tool's failure would look like an absent card. */
bool card_there(const char *id);
/* "/dev/rocN" or, with a channel, "/dev/rocNchM"; valid until the next call. */
const char *node_path(const char *id, int channel);
/* Open a node: a descriptor, or -errno. channel -1: the endpoint. */
int node_open(const char *id, int channel);
/* open() of this path with a time limit: a descriptor or -errno. */
int open_rw(const char *path);

/* ioctl: 0 or -errno. @arg starts with its size. */
int abi(int fd, unsigned long nr, void *arg);

/* Access a register by ioctl: 0 or -errno. */
int reg_read(int fd, unsigned int bar, uint32_t offset, uint32_t *value);
int reg_write(int fd, unsigned int bar, uint32_t offset, uint32_t value);
int reg_modify(int fd, unsigned int bar, uint32_t offset, uint32_t mask, uint32_t value,
	       uint32_t *before);

/* The same; opens and closes the endpoint. */
int endpoint_abi(const char *id, unsigned long nr, void *arg);
int endpoint_write(const char *id, unsigned int bar, uint32_t offset, uint32_t value);

/* START, STOP, RESET, KICK with only flags or a level. */
int control(int fd, unsigned long nr, uint32_t flags, uint32_t level);
struct roc_ch_info ch_info(int fd);

/* First line of a file of the node's sysfs directory; "" if there is none. */
const char *node_attr(const char *id, int channel, const char *name);
/* The same for a number. */
uint64_t node_count(const char *id, int channel, const char *name);
/* The channel's kernel thread: its process id (0: none), and its state as in /proc/PID/stat. */
int thread_pid(const char *id, int channel);
char thread_state(const char *id, int channel);
/* The driver's counts of a channel since it was bound, and their growth since @before. */
struct counters {
	uint64_t interrupts, missed, spurious, reads, retries;
};
struct counters counters(const char *id, int channel);
struct counters counters_since(const char *id, int channel, struct counters before);
/* "0000:bb:dd.f" */
const char *pci_address(const char *id);
/* True if a translating IOMMU lies between card and memory. */
bool translated(const char *id);
/* True if the card has the event interface. */
bool has_events(const char *id);
/* True if its channels are streams. */
bool has_streams(const char *id);
/* True if its channels are sub-units. */
bool has_fragments(const char *id);
/* True if the PCI command register enables bus mastering. */
bool bus_master(const char *id);

/* Write a text to a file; 0 or -errno. */
int put_text(const char *path, const char *text);
/* Set the poll interval of the card's temperature, until the next probe. */
#define LOOK_USUAL_MS 5000
int set_poll_interval(const char *id, unsigned int ms);
/*
 * Unbind and bind a PCI function; wait for its nodes. By address, because an unbound function has
 * no id.
 */
int driver_unbind(const char *address);
bool driver_bind(const char *address);
/* Unbind and bind both endpoints of a card. */
bool rebind_card(unsigned int card);
/* True if the function has MSI-X vectors. The driver must be bound. */
bool has_msix(const char *address);
/* Number of endpoints for which udev has made links. */
unsigned int nodes_there(void);
/* Wait until udev has made the links of @count endpoints, with a limit. */
bool wait_nodes(unsigned int count);

/* Run a command with a time limit; its exit status, or -1. Cuts the output at @size. */
int shell(char *out, unsigned long size, unsigned int ms, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* CASE_NODE_H */
