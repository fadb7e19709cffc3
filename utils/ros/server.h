/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network thread of roc-rosd: all clients in one epoll loop.
 *
 *	server.c	the loop, new connections, results of workers
 *	client_event.c	events of a client's socket
 *	requests.c	requests and clears, and their results
 *	client.c	lifetime of a client: its place, errors sent to it, its end
 *	send.c		sending from host pages to the socket
 *
 * A file calls functions of the files below it.
 *
 * All memory of a client is allocated when it sends HELLO, as much as its limits allow.
 */
#ifndef ROC_UTILS_ROS_SERVER_H
#define ROC_UTILS_ROS_SERVER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/uio.h>

#include "protocol.h"
#include "worker.h"

#define ROS_UNITS 10	   /* sub-units of a daemon: their links fit into a set of 64 */
#define ROS_LISTENERS 4	   /* addresses of a host name */
#define ROS_NOTES 16	   /* short messages to a client that are not sent yet */
#define ROS_ZEROCOPIES 512 /* zero-copy sends to a client that the kernel has not completed */
#define ROS_TIMES 24	   /* buckets of a histogram: below 2^i us */
/* connections that get an error message at the same time; more are just closed */
#define ROS_REFUSED_MAX 32
/*
 * Connections without HELLO. More than can arrive in one turn of the loop, so each is read at least
 * once.
 */
#define ROS_GREETING_MAX 320

struct ros_server_settings {
	struct ros_limits limits; /* of a client; ros_server_init() fills in links */
	uint32_t clients;
	uint32_t zerocopy; /* minimum bytes of a send with MSG_ZEROCOPY; 0: never */
	uint64_t spill;	   /* bytes that may be copied aside for slow clients */
	uint64_t drain_ns;
	const char *listen; /* HOST:PORT */
};

enum ros_out_type {
	ROS_OUT_REPLY,
	ROS_OUT_CLEARED,
	ROS_OUT_NOTE,
};

/* A message to a client: its pieces, and how far they are sent. */
struct ros_out {
	TAILQ_ENTRY(ros_out) entry;
	enum ros_out_type type;
	uint32_t zerocopies; /* zero-copy sends of it that the kernel has not completed */
	bool pinned;	     /* its host pages count in ros_server.pinned */
	uint64_t number;     /* sequence number of the client's messages */
	struct iovec *iov;
	unsigned int iovs, at; /* number of pieces; first one that is not completely sent */
	size_t into;	       /* bytes of this one that are sent */
	size_t left;	       /* bytes to send */
	void *spilled;	       /* copy of the data in the heap */
	size_t spilled_bytes;
};

/* An outstanding request; the member out must be the first. */
struct ros_slot {
	struct ros_out out;
	struct ros_client *client;
	struct ros_slot *next; /* in the free list */
	uint64_t id, since;
	uint64_t links;
	uint32_t event;
	unsigned int parts_left;
	bool halfway; /* some parts are done, others are not */
	TAILQ_ENTRY(ros_slot) partial;
	uint8_t *head;
	struct ros_part parts[]; /* one for each unit; followed by iov and head */
};

struct ros_clear_slot {
	struct ros_out out;
	struct ros_client *client;
	struct ros_clear_slot *next;
	struct ros_clear_slot *next_extra; /* list of slots outside the client's memory */
	uint64_t id;
	uint32_t count;
	unsigned int parts_left;
	uint32_t *events;
	_Atomic uint8_t *found;
	struct iovec iov;
	uint8_t head[ROS_CLEARED_BYTES];
	/* one for each unit; followed by waiters, events and found */
	struct ros_clear_part parts[];
};

struct ros_note {
	struct ros_out out;
	struct ros_note *next;
	struct iovec iov;
	uint8_t bytes[ROS_ERROR_MAX];
};

enum ros_client_state {
	ROS_CLIENT_NEW, /* connected, without HELLO */
	ROS_CLIENT_OPEN,
	ROS_CLIENT_LINGER, /* no more input is read; the connection ends when all is sent */
	ROS_CLIENT_GONE,   /* disconnected; some of its jobs are not done yet */
};

TAILQ_HEAD(ros_outs, ros_out);

struct ros_client {
	TAILQ_ENTRY(ros_client) all, dirty_entry;
	struct ros_server *server;
	enum ros_client_state state;
	int fd;
	uint32_t interest; /* events registered with epoll */
	bool refused;	   /* exceeded a limit of connections */
	bool greeting;	   /* counts in greeting_count: without HELLO */
	bool dirty;	   /* in the list of clients with new data to send */
	bool blocked;	   /* the socket is not writable */
	bool paused;	   /* reading is paused, because the client does not take its replies */
	bool eof;	   /* the client has shut down its sending side */
	bool shut;	   /* our sending side is shut down */
	bool error_sent;   /* an error that closes was sent; no other message follows */
	bool is_retired;
	bool zerocopy;
	int unread;	  /* unsent bytes in the socket at the last tick */
	uint64_t stalled; /* time since which the socket is not writable; 0: it is */
	/* time since which a message is incomplete or HELLO is missing; 0: neither */
	uint64_t half;
	uint64_t linger; /* end of the wait for the client's close */
	uint64_t active; /* time of the last transfer in either direction */
	struct in6_addr from;

	uint8_t *in;
	size_t have;

	void *memory;
	struct ros_slot *free_slots;
	struct ros_clear_slot *free_clears;
	struct ros_clear_slot *extra_clears;
	struct ros_note *free_notes;
	uint32_t fresh_slots, fresh_clears; /* first entries that were never used */
	struct ros_note notes[ROS_NOTES];
	uint32_t requests, clears; /* outstanding, until the reply is sent */
	uint32_t jobs;		   /* of these, with workers */

	struct ros_outs out;  /* not completely sent */
	struct ros_outs sent; /* sent, but not completed by the kernel */
	uint64_t next_number;
	size_t backlog;
	size_t spilled; /* bytes that are copied aside */
	uint32_t zerocopy_next, zerocopy_open;
	struct {
		uint64_t first, last; /* numbers of messages */
		bool open;
	} zerocopies[ROS_ZEROCOPIES];
};

struct ros_server_counts {
	ros_count clients, connections;
	ros_count refused; /* connections above a limit */
	ros_count slow;	   /* reset, because they did not read */
	ros_count requests, replies, incomplete, unknown;
	ros_count clears, cleared_events, unknown_events;
	ros_count errors[ROS_CODES];
	ros_count bytes;
	ros_count receives, sends, polls, zerocopies, copied, spills, spilled_bytes;
	ros_count times[ROS_TIMES]; /* from request to reply */
	ros_count turns;
	ros_count reply_ns;		      /* sum of all times */
	ros_count backlog_bytes, aside_bytes; /* current sum over all clients */
};

TAILQ_HEAD(ros_clients, ros_client);

struct ros_server {
	struct ros_server_settings set;
	struct ros_worker *workers;
	unsigned int units;
	unsigned int links;		    /* of all units */
	unsigned int first_link[ROS_UNITS]; /* number of the first link of each unit */
	uint8_t unit_of[ROS_LINKS];
	struct ros_server_counts counts;
	struct ros_bell bell;
	_Atomic bool drain, hurry, done;

	int epoll;
	int listeners[ROS_LISTENERS];
	unsigned int listener_count;
	uint16_t port; /* of the first listener */
	struct ros_clients clients, dirty, retired;
	TAILQ_HEAD(ros_partial, ros_slot) partial; /* requests of which some parts are done */
	uint32_t client_count, greeting_count, refused_count;
	size_t slot_bytes, clear_bytes, in_bytes;
	uint32_t pinned[ROS_UNITS]; /* host pages that the kernel may still read */
	bool ordered[ROS_UNITS], returned[ROS_UNITS];
	bool draining;
	bool starving; /* a worker waits for host pages */
	uint64_t drain_until;
	uint64_t now, ticked, spilled_at;
	uint64_t spilled; /* current bytes */
	bool no_files; /* accept() failed for lack of descriptors and is retried at the next tick */
	pthread_t thread;
	bool started;
};

/* @s is zeroed except set, workers and units. Return: exit code; an error is already reported. */
int ros_server_init(struct ros_server *s);
int ros_server_start(struct ros_server *s);
/*
 * Accept no new connections and requests. ros_server_ended() returns true when all is done. Any
 * thread.
 */
void ros_server_drain(struct ros_server *s);
bool ros_server_ended(struct ros_server *s);
/* End the drain time now. Any thread. */
void ros_server_hurry(struct ros_server *s);
void ros_server_stop(struct ros_server *s);
void ros_server_free(struct ros_server *s);

/* client_event.c */
void ros_client_event(struct ros_client *c, uint32_t events);
void ros_client_tick(struct ros_client *c);
/* Send queued messages, as far as the socket accepts them. */
void ros_client_send(struct ros_client *c);

/* requests.c */
/* Process all complete messages in the input. */
void ros_client_parse(struct ros_client *c);
/*
 * Execute only the clears in the input, without replies. Return: false if the rest of the input is
 * not valid.
 */
bool ros_client_parse_clears(struct ros_client *c);
void ros_client_job_done(struct ros_server *s, struct ros_job *job);

/* client.c */
void ros_client_new(struct ros_server *s, int fd, const struct in6_addr *from, bool refused);
/*
 * Return whether a connection without HELLO can be accepted. It displaces a client only when it
 * sends HELLO, so a connection that never does cannot affect clients.
 */
bool ros_client_may_greet(struct ros_server *s, const struct in6_addr *from);
/*
 * Return whether there is a place for a client from @from, after displacing an idle one if
 * necessary.
 */
bool ros_client_place(struct ros_server *s, const struct in6_addr *from);
/* Count a client that has sent HELLO and has a place. */
void ros_client_count(struct ros_client *c);
/* Allocate a message of up to ROS_ERROR_MAX bytes. c->free_notes must not be NULL. */
struct ros_note *ros_client_note(struct ros_client *c);
/* Send an error. A code that closes also ends the connection. */
void ros_client_error(struct ros_client *c, const struct ros_refusal *reason);
void ros_client_refuse(struct ros_client *c, enum ros_code code, uint64_t id, uint32_t limit,
		       uint32_t value);
/* End the connection when all queued messages are sent. */
void ros_client_finish(struct ros_client *c);
/* End the connection now. Input that was not processed is discarded. */
void ros_client_drop(struct ros_client *c);
/* Retire a disconnected client when none of its jobs and sends is outstanding. */
void ros_client_retire(struct ros_client *c);
void ros_client_free(struct ros_client *c);

/* send.c */
enum ros_sent {
	ROS_SEND_NONE,
	ROS_SEND_SOME,
	ROS_SEND_BROKEN, /* the connection is lost */
};

void ros_send_queue(struct ros_client *c, struct ros_out *out);
enum ros_sent ros_send(struct ros_client *c);
/* Drop a message of which nothing is sent; drop all that are not completely sent. */
void ros_send_drop(struct ros_client *c, struct ros_out *out);
void ros_send_drop_all(struct ros_client *c);
/* Collect completions of zero-copy sends. */
void ros_send_zerocopied(struct ros_client *c);
/*
 * Copy data that a slow client has not taken aside; the second function does the same for
 * incomplete replies. Return: the client to drop for lack of space, which may be @c; NULL: none.
 */
struct ros_client *ros_send_spill(struct ros_client *c);
struct ros_client *ros_send_spill_partial(struct ros_server *s);
void ros_send_aside_free(struct ros_slot *slot);

#endif
