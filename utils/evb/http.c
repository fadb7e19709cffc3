// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Non-blocking HTTP client for JSON, by libcurl.
 */
#include "etcd.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libroc/fabric/base.h"
#include "libroc/fabric/control.h"

#define LIBRARY "libcurl.so.4"
#define CONNECT_MS 2000L
#define SOCKETS 32
#define LOOKUP_NS (10 * MS) /* between two polls of a lookup, which has no descriptor */
#define MS UINT64_C(1000000)

/* The functions of libcurl in use, from dlopen(). */
static struct {
	void *handle;
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
	CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
	void (*easy_cleanup)(CURL *easy);
	const char *(*easy_strerror)(CURLcode code);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
	void (*slist_free_all)(struct curl_slist *list);
	CURLM *(*multi_init)(void);
	CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
	CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_socket_action)(CURLM *multi, curl_socket_t s, int bits, int *running);
	CURLMsg *(*multi_info_read)(CURLM *multi, int *left);
	CURLMcode (*multi_cleanup)(CURLM *multi);
} lib;

/*
 * A server whose host is a name. When libcurl ends a call it waits for its resolver thread, which
 * would block the data flow. So names are resolved here, and libcurl gets only addresses.
 */
struct name {
	struct name *next;
	struct lookup *lookup;
	bool resolving;	    /* a lookup runs: no address yet, or the connection to it failed */
	unsigned int which; /* index in the addresses of the name */
	char address[CONTROL_ADDRESS]; /* empty: not known yet */
	char host[];
};

struct call {
	CURL *easy;	     /* NULL: the place is free */
	struct name *name;   /* NULL: the host in the URL is an address */
	uint64_t name_until; /* fabric_now(): the call waits for an address until then; 0: no */
	struct curl_slist *to;
	char *body;
	struct curl_slist *headers;
	bool stream;
	char *answer;
	size_t have, room;
	bool too_large;
	char error[CURL_ERROR_SIZE];
};

struct http {
	CURLM *multi;
	char *ca, *cert, *key;
	char *authorization; /* Authorization header, or NULL */
	http_fn *fn;
	void *self;
	struct call calls[HTTP_PLACES];
	struct name *names;
	struct pollfd sockets[SOCKETS];
	unsigned int count;
	uint64_t due; /* fabric_now() of the next timeout of libcurl; 0: none */
};

static int load(char reason[ROC_EVB_REASON])
{
	static const struct {
		const char *name;
		void **to;
	} names[] = {
		{"curl_global_init", (void **)&lib.global_init},
		{"curl_easy_init", (void **)&lib.easy_init},
		{"curl_easy_setopt", (void **)&lib.easy_setopt},
		{"curl_easy_getinfo", (void **)&lib.easy_getinfo},
		{"curl_easy_cleanup", (void **)&lib.easy_cleanup},
		{"curl_easy_strerror", (void **)&lib.easy_strerror},
		{"curl_slist_append", (void **)&lib.slist_append},
		{"curl_slist_free_all", (void **)&lib.slist_free_all},
		{"curl_multi_init", (void **)&lib.multi_init},
		{"curl_multi_setopt", (void **)&lib.multi_setopt},
		{"curl_multi_add_handle", (void **)&lib.multi_add_handle},
		{"curl_multi_remove_handle", (void **)&lib.multi_remove_handle},
		{"curl_multi_socket_action", (void **)&lib.multi_socket_action},
		{"curl_multi_info_read", (void **)&lib.multi_info_read},
		{"curl_multi_cleanup", (void **)&lib.multi_cleanup},
	};
	void *handle;
	size_t i;

	if (lib.handle)
		return 0;
	handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (i = 0; handle && i < sizeof(names) / sizeof(names[0]); i++) {
		*names[i].to = dlsym(handle, names[i].name);
		if (!*names[i].to) {
			dlclose(handle);
			handle = NULL;
		}
	}
	if (!handle || lib.global_init(CURL_GLOBAL_DEFAULT)) {
		snprintf(
			reason, ROC_EVB_REASON,
			"%s cannot be loaded, but the coordinator etcd needs it: install libcurl4 (Fedora, RHEL: libcurl).",
			LIBRARY);
		return -ENOENT;
	}
	lib.handle = handle;
	return 0;
}

static int on_socket(CURL *easy, curl_socket_t s, int what, void *self, void *unused)
{
	struct http *h = self;
	unsigned int i;

	for (i = 0; i < h->count && h->sockets[i].fd != s; i++)
		;
	if (what == CURL_POLL_REMOVE) {
		if (i < h->count)
			h->sockets[i] = h->sockets[--h->count];
		return 0;
	}
	if (i == SOCKETS)
		return 0; /* more sockets than calls: progress by the timeout only */
	h->count = i == h->count ? i + 1 : h->count;
	h->sockets[i].fd = s;
	h->sockets[i].events =
		(short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
	return 0;
}

static int on_timer(CURLM *multi, long ms, void *self)
{
	struct http *h = self;

	h->due = ms < 0 ? 0 : fabric_now() + (uint64_t)ms * MS;
	return 0;
}

struct http *http_open(const struct http_tls *tls, http_fn *fn, void *self,
		       char reason[ROC_EVB_REASON])
{
	struct http *h;

	if (load(reason))
		return NULL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->fn = fn;
	h->self = self;
	h->ca = tls->ca ? strdup(tls->ca) : NULL;
	h->cert = tls->cert ? strdup(tls->cert) : NULL;
	h->key = tls->key ? strdup(tls->key) : NULL;
	h->multi = lib.multi_init();
	if (!h->multi) {
		http_close(h);
		return NULL;
	}
	lib.multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	lib.multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	lib.multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	lib.multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return h;
}

int http_authorize(struct http *h, const char *token)
{
	char *authorization = NULL;

	if (token && (token[strcspn(token, "\r\n")] ||
		      asprintf(&authorization, "Authorization: %s", token) < 0))
		return -EPROTO;
	free(h->authorization);
	h->authorization = authorization;
	return 0;
}

/* Headers of a new call. Each call has its own list, which lives until the call ends. */
static struct curl_slist *heads(const struct http *h)
{
	struct curl_slist *list = lib.slist_append(NULL, "Content-Type: application/json"), *more;

	if (!list || !h->authorization)
		return list;
	more = lib.slist_append(list, h->authorization);
	if (!more)
		lib.slist_free_all(list);
	return more;
}

static void free_call(struct http *h, struct call *c)
{
	if (!c->easy)
		return;
	lib.multi_remove_handle(h->multi, c->easy);
	lib.easy_cleanup(c->easy);
	lib.slist_free_all(c->headers);
	lib.slist_free_all(c->to);
	free(c->body);
	free(c->answer);
	memset(c, 0, sizeof(*c));
}

void http_close(struct http *h)
{
	struct name *name;
	unsigned int i;

	if (!h)
		return;
	for (i = 0; i < HTTP_PLACES; i++)
		free_call(h, &h->calls[i]);
	if (h->multi)
		lib.multi_cleanup(h->multi);
	while ((name = h->names)) {
		h->names = name->next;
		lookup_drop(&name->lookup);
		free(name);
	}
	free(h->authorization);
	free(h->ca);
	free(h->cert);
	free(h->key);
	free(h);
}

bool http_busy(const struct http *h, unsigned int place)
{
	return h->calls[place].easy;
}

void http_cancel(struct http *h, unsigned int place)
{
	free_call(h, &h->calls[place]);
}

static struct json_object *parse(const char *text, size_t length)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o = NULL;

	if (!t)
		return NULL;
	o = json_tokener_parse_ex(t, text, (int)length);
	json_tokener_free(t);
	if (json_object_is_type(o, json_type_object))
		return o;
	json_object_put(o);
	return NULL;
}

/* Pass complete lines of a stream to the function. */
static void lines(struct http *h, struct call *c)
{
	unsigned int place = (unsigned int)(c - h->calls);
	char *end;

	/* The function may end the call, which frees the received data. */
	while (c->easy && c->have && (end = memchr(c->answer, '\n', c->have))) {
		size_t length = (size_t)(end + 1 - c->answer);
		struct json_object *o = length > 1 ? parse(c->answer, length) : NULL;

		memmove(c->answer, c->answer + length, c->have - length);
		c->have -= length;
		if (o)
			h->fn(h->self, place, 1, o, NULL);
		json_object_put(o);
	}
}

static size_t on_data(char *data, size_t size, size_t n, void *self)
{
	struct call *c = self;
	size_t bytes = size * n, room = c->room ? c->room : 4096;
	char *larger;

	while (room < c->have + bytes)
		room *= 2;
	if (room > HTTP_ANSWER_MAX) {
		c->too_large = true;
		return 0;
	}
	if (room > c->room) {
		larger = realloc(c->answer, room);
		if (!larger)
			return 0;
		c->answer = larger;
		c->room = room;
	}
	memcpy(c->answer + c->have, data, bytes);
	c->have += bytes;
	return bytes;
}

/* Find or add the host name in @url: 0 (*@found is NULL for an address), or -ENOMEM. */
static int find_name(struct http *h, const char *url, struct name **found)
{
	const char *host = strstr(url, "://");
	char address[CONTROL_ADDRESS];
	struct in_addr number;
	struct name *n;
	size_t length;

	*found = NULL;
	host = host ? host + 3 : url;
	length = strcspn(host, ":/");
	/* "[::1]" */
	if (host[0] == '[' || !length)
		return 0;
	snprintf(address, sizeof(address), "%.*s", (int)length, host);
	if (inet_pton(AF_INET, address, &number) == 1)
		return 0;
	for (n = h->names; n; n = n->next) {
		if (strlen(n->host) == length && !memcmp(n->host, host, length))
			break;
	}
	if (!n) {
		n = calloc(1, sizeof(*n) + length + 1);
		if (!n)
			return -ENOMEM;
		memcpy(n->host, host, length);
		n->next = h->names;
		h->names = n;
	}
	*found = n;
	return 0;
}

/* Begin the call, or defer it until the address of its server is known. */
static int begin(struct http *h, struct call *c)
{
	char text[CONTROL_ADDRESS + 8];

	if (c->name && !c->name->address[0]) {
		c->name->resolving = true;
		c->name_until = fabric_now() + CONNECT_MS * MS;
		return 0;
	}
	c->name_until = 0;
	if (c->name) {
		snprintf(text, sizeof(text),
			 strchr(c->name->address, ':') ? "::[%s]:" : "::%s:", c->name->address);
		c->to = lib.slist_append(NULL, text);
		if (!c->to)
			return -ENOMEM;
		lib.easy_setopt(c->easy, CURLOPT_CONNECT_TO, c->to);
	}
	return lib.multi_add_handle(h->multi, c->easy) ? -ENOMEM : 0;
}

int http_post(struct http *h, unsigned int place, const char *url, struct json_object *body,
	      unsigned int timeout_ms)
{
	struct call *c = &h->calls[place];
	const char *text =
		body ? json_object_to_json_string_ext(body, JSON_C_TO_STRING_PLAIN) : NULL;

	if (text && !c->easy) {
		c->body = strdup(text);
		c->easy = c->body ? lib.easy_init() : NULL;
	}
	json_object_put(body);
	if (!c->easy)
		return -ENOMEM;
	c->headers = heads(h);
	c->stream = !timeout_ms;
	lib.easy_setopt(c->easy, CURLOPT_URL, url);
	lib.easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	lib.easy_setopt(c->easy, CURLOPT_POSTFIELDS, c->body);
	lib.easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_data);
	lib.easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	lib.easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->error);
	lib.easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	lib.easy_setopt(c->easy, CURLOPT_NOPROXY, "*");
	lib.easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	lib.easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	/* Detect a stream whose server disappeared without closing it. */
	lib.easy_setopt(c->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	lib.easy_setopt(c->easy, CURLOPT_TCP_KEEPIDLE, 5L);
	lib.easy_setopt(c->easy, CURLOPT_TCP_KEEPINTVL, 2L);
	/* With a CA of the user the certificates of the system are not used. */
	if (h->ca) {
		lib.easy_setopt(c->easy, CURLOPT_CAINFO, h->ca);
		lib.easy_setopt(c->easy, CURLOPT_CAPATH, NULL);
	}
	if (h->cert)
		lib.easy_setopt(c->easy, CURLOPT_SSLCERT, h->cert);
	if (h->key)
		lib.easy_setopt(c->easy, CURLOPT_SSLKEY, h->key);
	if (c->headers && !find_name(h, url, &c->name) && !begin(h, c))
		return 0;
	free_call(h, c);
	return -ENOMEM;
}

/* Finish a call: pass its answer or its failure to the function. */
static void call_done(struct http *h, struct call *c, CURLcode code)
{
	unsigned int place = (unsigned int)(c - h->calls);
	struct json_object *o = NULL;
	char reason[ROC_EVB_REASON] = "";
	long status = 0;
	int result = 0;

	lib.easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	if (c->too_large) {
		snprintf(reason, sizeof(reason), "the answer exceeds the limit of 16 MiB");
		result = -EMSGSIZE;
	} else if (code) {
		snprintf(reason, sizeof(reason), "%s",
			 c->error[0] ? c->error : lib.easy_strerror(code));
		result = -EHOSTUNREACH;
	} else if (status != 200) {
		snprintf(reason, sizeof(reason), "HTTP status %ld: %.200s", status,
			 c->have ? (c->answer[c->have - 1] = '\0', c->answer) : "");
		result = -EPROTO;
	} else if (!c->stream && !(o = parse(c->answer ? c->answer : "", c->have))) {
		snprintf(reason, sizeof(reason), "the answer is not a JSON object");
		result = -EPROTO;
	}
	/* The name may have another address by now. Use the old one until the lookup ends. */
	if (c->name && (code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT) &&
	    !c->name->resolving) {
		c->name->which++;
		c->name->resolving = true;
	}
	free_call(h, c); /* the function may use the place for the next call */
	h->fn(h->self, place, result, o, reason);
	json_object_put(o);
}

static struct call *call_of(struct http *h, const CURL *easy)
{
	unsigned int i;

	for (i = 0; i < HTTP_PLACES && h->calls[i].easy != easy; i++)
		;
	return i < HTTP_PLACES ? &h->calls[i] : NULL;
}

static void end_unresolved(struct http *h, struct call *c, const char *reason)
{
	unsigned int place = (unsigned int)(c - h->calls);

	free_call(h, c);
	h->fn(h->self, place, -EHOSTUNREACH, NULL, reason);
}

/*
 * Begin the calls whose server address is known now, and end those whose lookup failed or timed
 * out.
 */
static void turn_waiting(struct http *h, const struct name *failed, const char *reason)
{
	char late[ROC_EVB_REASON];
	unsigned int i;

	for (i = 0; i < HTTP_PLACES; i++) {
		struct call *c = &h->calls[i];

		if (!c->easy || !c->name_until)
			continue;
		if (c->name->address[0]) {
			if (begin(h, c))
				end_unresolved(h, c, "cannot allocate the request");
		} else if (c->name == failed) {
			end_unresolved(h, c, reason);
		} else if (fabric_now() >= c->name_until) {
			snprintf(late, sizeof(late),
				 "no name server answered for \"%.200s\" within %ld ms",
				 c->name->host, CONNECT_MS);
			end_unresolved(h, c, late);
		}
	}
}

static void turn_names(struct http *h)
{
	struct name *n;

	for (n = h->names; n; n = n->next) {
		char address[CONTROL_ADDRESS] = "", reason[FABRIC_REASON] = "";
		int ret;

		if (!n->resolving)
			continue;
		ret = lookup_address(&n->lookup, n->host, n->which, address, reason);
		n->resolving = !ret;
		if (ret > 0)
			memcpy(n->address, address, sizeof(address));
		turn_waiting(h, ret < 0 ? n : NULL, reason);
	}
}

void http_turn(struct http *h)
{
	struct pollfd sockets[SOCKETS];
	unsigned int i, count;
	int running, left;
	CURLMsg *m;

	turn_names(h);
	count = h->count;
	memcpy(sockets, h->sockets, sizeof(sockets));
	for (i = 0; i < count; i++)
		lib.multi_socket_action(h->multi, sockets[i].fd, 0, &running);
	if (h->due && fabric_now() >= h->due) {
		h->due = 0;
		lib.multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	for (i = 0; i < HTTP_PLACES; i++) {
		if (h->calls[i].easy && h->calls[i].stream)
			lines(h, &h->calls[i]);
	}
	while ((m = lib.multi_info_read(h->multi, &left))) {
		struct call *c = call_of(h, m->easy_handle);

		if (m->msg == CURLMSG_DONE && c)
			call_done(h, c, m->data.result);
	}
}

void http_idle(const struct http *h, struct roc_idle *idle)
{
	uint64_t now = fabric_now();
	const struct name *n;
	unsigned int i;

	for (n = h->names; n; n = n->next) {
		if (n->resolving)
			roc_idle_ns(idle, LOOKUP_NS);
	}
	for (i = 0; i < h->count; i++)
		roc_idle_fd(idle, h->sockets[i].fd, h->sockets[i].events);
	if (h->due)
		roc_idle_ns(idle, h->due > now ? h->due - now : 0);
}
