/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network's thread of roc-rosd: all clients in one loop of epoll.
 *
 *	server.c	the loop, who comes in, what workers have done
 *	client_event.c	what epoll reports of a client's socket
 *	requests.c		what it asks for, and what comes of it
 *	client.c	a client's life: its place, errors sent to it, its end
 *	send.c		what goes to it: from host pages to the socket
 *
 * Calls go down this list.
 *
 * All memory of a client is allocated when it says HELLO, as much as its limits let it use.
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
#define ROS_LISTENERS 4	   /* addresses that a name can have */
#define ROS_NOTES 16	   /* short messages to a client that it did not take yet */
#define ROS_ZEROCOPIES 512 /* sends to a client that the kernel was not done with */
#define ROS_TIMES 24	   /* buckets of a histogram: below 2^i us */
#define ROS_REFUSED_MAX 32 /* that are told so at the same time; more are just closed */
/* That have not said HELLO: more than can come in one turn of the loop, so all had their chance. */
#define ROS_GREETING_MAX 320

struct ros_server_settings {
	struct ros_limits limits; /* of a client; links is filled in by ros_server_init() */
	uint32_t clients;
	uint32_t zerocopy; /* sends of so many bytes are made with MSG_ZEROCOPY; 0: none */
	uint64_t spill;	   /* bytes that may be copied aside for clients that are slow */
	uint64_t drain_ns;
	const char *listen; /* HOST:PORT */
};

enum ros_out_type {
	ROS_OUT_REPLY,
	ROS_OUT_CLEARED,
	ROS_OUT_NOTE,
};

/* A message on its way to a client: pieces of memory, and how far they are sent. */
struct ros_out {
	TAILQ_ENTRY(ros_out) entry;
	enum ros_out_type type;
	uint32_t zerocopies; /* sends of it that the kernel is not done with */
	bool pinned;	     /* its host pages count as those that the kernel reads */
	uint64_t number;     /* of the client's messages */
	struct iovec *iov;
	unsigned int iovs, at; /* the first that is not sent, */
	size_t into;	       /* so far into it */
	size_t left;	       /* bytes to be sent */
	void *spilled;	       /* what was copied aside */
	size_t spilled_bytes;
};

/* A request that is outstanding; out comes first in each of these. */
struct ros_slot {
	struct ros_out out;
	struct ros_client *client;
	struct ros_slot *next; /* of those that are free */
	uint64_t id, since;
	uint64_t links;
	uint32_t event;
	unsigned int parts_left;
	bool halfway; /* some parts are back, others not */
	TAILQ_ENTRY(ros_slot) partial;
	uint8_t *head;
	struct ros_part parts[]; /* of each unit; behind them iov and head */
};

struct ros_clear_slot {
	struct ros_out out;
	struct ros_client *client;
	struct ros_clear_slot *next;
	struct ros_clear_slot *next_extra; /* of those that are not in the client's memory */
	uint64_t id;
	uint32_t count;
	unsigned int parts_left;
	uint32_t *events;
	_Atomic uint8_t *found;
	struct iovec iov;
	uint8_t head[ROS_CLEARED_BYTES];
	struct ros_clear_part parts[]; /* of each unit; behind them waiters, events and found */
};

struct ros_note {
	struct ros_out out;
	struct ros_note *next;
	struct iovec iov;
	uint8_t bytes[ROS_ERROR_MAX];
};

enum ros_client_state {
	ROS_CLIENT_NEW, /* has not said HELLO */
	ROS_CLIENT_OPEN,
	ROS_CLIENT_LINGER, /* gets what is left for it, then the connection ends; is not listened to
			    */
	ROS_CLIENT_GONE,   /* has no connection; the last of its jobs are not back yet */
};

TAILQ_HEAD(ros_outs, ros_out);

struct ros_client {
	TAILQ_ENTRY(ros_client) all, dirty_entry;
	struct ros_server *server;
	enum ros_client_state state;
	int fd;
	uint32_t interest; /* as epoll knows it */
	bool refused;	   /* was one too many */
	bool greeting;	   /* has no client's place yet: it did not say HELLO */
	bool dirty;	   /* there is something new to send */
	bool blocked;	   /* the socket takes nothing now */
	bool paused;	   /* nothing is read: it does not take its answers */
	bool eof;	   /* it sends nothing any more */
	bool shut;	   /* it was told that nothing comes any more */
	bool error_sent;   /* it was told why, and hears no more */
	bool is_retired;
	bool zerocopy;
	int unread;	  /* bytes that it had not taken from the kernel at the last tick */
	uint64_t stalled; /* since when the socket takes nothing; 0: it does */
	uint64_t half;	  /* since when there is half a message, or no HELLO; 0: neither */
	uint64_t linger;  /* until when it is listened for its end */
	uint64_t active;  /* when something came from it or went to it last */
	struct in6_addr from;

	uint8_t *in;
	size_t have;

	void *memory;
	struct ros_slot *free_slots;
	struct ros_clear_slot *free_clears;
	struct ros_clear_slot *extra_clears;
	struct ros_note *free_notes;
	uint32_t fresh_slots, fresh_clears; /* from here on never used */
	struct ros_note notes[ROS_NOTES];
	uint32_t requests, clears; /* outstanding, until they are sent */
	uint32_t jobs;		   /* of them, with workers */

	struct ros_outs out;  /* not all sent */
	struct ros_outs sent; /* the kernel is not done with */
	uint64_t next_number;
	size_t backlog;
	size_t spilled; /* bytes that are copied aside for it now */
	uint32_t zerocopy_next, zerocopy_open;
	struct {
		uint64_t first, last; /* numbers of messages */
		bool open;
	} zerocopies[ROS_ZEROCOPIES];
};

struct ros_server_counts {
	ros_count clients, connections;
	ros_count refused; /* connections, for being too many */
	ros_count slow;	   /* reset, for not reading */
	ros_count requests, replies, incomplete, unknown;
	ros_count clears, cleared_events, unknown_events;
	ros_count errors[ROS_CODES];
	ros_count bytes;
	ros_count receives, sends, polls, zerocopies, copied, spills, spilled_bytes;
	ros_count times[ROS_TIMES]; /* from request to reply */
	ros_count turns;
	ros_count reply_ns;		      /* sum of all times */
	ros_count backlog_bytes, aside_bytes; /* of all clients now */
};

TAILQ_HEAD(ros_clients, ros_client);

struct ros_server {
	struct ros_server_settings set;
	struct ros_worker *workers;
	unsigned int units;
	unsigned int links;		    /* of all units, ... */
	unsigned int first_link[ROS_UNITS]; /* ... which are numbered one unit after the other */
	uint8_t unit_of[ROS_LINKS];
	struct ros_server_counts counts;
	struct ros_bell bell;
	_Atomic bool drain, hurry, done;

	int epoll;
	int listeners[ROS_LISTENERS];
	unsigned int listener_count;
	uint16_t port; /* of the first */
	struct ros_clients clients, dirty, retired;
	TAILQ_HEAD(ros_partial, ros_slot) partial; /* that are halfway */
	uint32_t client_count, greeting_count, refused_count;
	size_t slot_bytes, clear_bytes, in_bytes;
	uint32_t pinned[ROS_UNITS]; /* host pages that the kernel may still read */
	bool ordered[ROS_UNITS], returned[ROS_UNITS];
	bool draining;
	bool starving; /* somebody waits for host pages */
	uint64_t drain_until;
	uint64_t now, ticked, spilled_at;
	uint64_t spilled; /* bytes now */
	bool no_files;	  /* accept() is asked again later */
	pthread_t thread;
	bool started;
};

/* Exit code; after a failure the message is out. @s: zeroed but for set, workers, units. */
int ros_server_init(struct ros_server *s);
int ros_server_start(struct ros_server *s);
/* No new connections and requests; ros_server_ended() when the rest is done. Any thread. */
void ros_server_drain(struct ros_server *s);
bool ros_server_ended(struct ros_server *s);
/* Nobody is waited for any more. Any thread. */
void ros_server_hurry(struct ros_server *s);
void ros_server_stop(struct ros_server *s);
void ros_server_free(struct ros_server *s);

/* client_event.c */
void ros_client_event(struct ros_client *c, uint32_t events);
void ros_client_tick(struct ros_client *c);
/* Send what is queued, as far as the socket takes it. */
void ros_client_send(struct ros_client *c);

/* requests.c */
/* Everything that is there. */
void ros_client_parse(struct ros_client *c);
/* Of that the clears only, and nothing is answered; false: the rest is nothing any more. */
bool ros_client_parse_clears(struct ros_client *c);
void ros_client_job_done(struct ros_server *s, struct ros_job *job);

/* client.c */
void ros_client_new(struct ros_server *s, int fd, const struct in6_addr *from, bool refused);
/*
 * Whether one more may say HELLO. A client goes only when it did: until then a stranger has cost
 * nobody anything.
 */
bool ros_client_may_greet(struct ros_server *s, const struct in6_addr *from);
/* Is there a client's place for who comes @from there, or can one be made? */
bool ros_client_place(struct ros_server *s, const struct in6_addr *from);
/* It said HELLO, and there is a client's place for it. */
void ros_client_count(struct ros_client *c);
/* A message to it of up to ROS_ERROR_MAX bytes. Only if c->free_notes is not NULL. */
struct ros_note *ros_client_note(struct ros_client *c);
/* Send an error, and end the connection where the code does. */
void ros_client_error(struct ros_client *c, const struct ros_refusal *reason);
void ros_client_refuse(struct ros_client *c, enum ros_code code, uint64_t id, uint32_t limit,
		       uint32_t value);
/* What is there is sent; then the connection ends. */
void ros_client_finish(struct ros_client *c);
/* We end the connection now: what it said and we did not read does nothing. */
void ros_client_drop(struct ros_client *c);
/* If nothing is left of it. */
void ros_client_retire(struct ros_client *c);
void ros_client_free(struct ros_client *c);

/* send.c */
enum ros_sent {
	ROS_SEND_NONE,
	ROS_SEND_SOME,
	ROS_SEND_BROKEN, /* the connection */
};

void ros_send_queue(struct ros_client *c, struct ros_out *out);
enum ros_sent ros_send(struct ros_client *c);
/* Throw one away, of which nothing is sent; all that are not sent. */
void ros_send_drop(struct ros_client *c, struct ros_out *out);
void ros_send_drop_all(struct ros_client *c);
/* What the kernel is done with. */
void ros_send_zerocopied(struct ros_client *c);
/*
 * Copy what a slow client has not taken aside; and what came of replies that are halfway. Who is to
 * be dropped to make room for it; NULL: nobody. It may be @c.
 */
struct ros_client *ros_send_spill(struct ros_client *c);
struct ros_client *ros_send_spill_partial(struct ros_server *s);
void ros_send_aside_free(struct ros_slot *slot);

#endif
