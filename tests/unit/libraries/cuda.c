// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stand-in for the driver library of a GPU. Its memory is memory of the process. A copy is made at
 * the second query of the state of its stream, or at a wait for it: a caller that uses data without
 * a wait gets wrong data. FAKE_CUDA in the environment selects a failure.
 */
#include <stdlib.h>
#include <string.h>

#define JOBS 4096
#define NOT_READY 600
#define FAILED 719

struct job {
	char *to;
	const char *from;
	size_t bytes;
};

struct stream {
	struct job jobs[JOBS];
	unsigned int count;
	int queried;
};

static char *pinned;
static size_t pinned_bytes;
static int streams, retained;
static unsigned int begun, waiting; /* copies: ever, and not made yet */

static int breaks(const char *what)
{
	const char *text = getenv("FAKE_CUDA");

	return text && !strcmp(text, what);
}

#define API __attribute__((visibility("default")))

API int cuInit(unsigned int flags);
API int cuDeviceGetCount(int *count);
API int cuDeviceGet(int *device, int ordinal);
API int cuDeviceGetName(char *name, int size, int device);
API int cuDeviceGetPCIBusId(char *address, int size, int device);
API int cuDevicePrimaryCtxRetain(void **context, int device);
API int cuDevicePrimaryCtxRelease_v2(int device);
API int cuCtxSetCurrent(void *context);
API int cuMemAlloc_v2(unsigned long long *memory, size_t bytes);
API int cuMemFree_v2(unsigned long long memory);
API int cuMemHostRegister_v2(void *addr, size_t bytes, unsigned int flags);
API int cuMemHostUnregister(void *addr);
API int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes);
API int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, struct stream *s);
API int cuStreamCreate(struct stream **stream, unsigned int flags);
API int cuStreamQuery(struct stream *s);
API int cuStreamSynchronize(struct stream *s);
API int cuStreamDestroy_v2(struct stream *s);
API int cuGetErrorString(int error, const char **text);

int cuInit(unsigned int flags)
{
	return breaks("init") ? 100 : 0;
}

int cuDeviceGetCount(int *count)
{
	*count = breaks("none") ? 0 : 1;
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal;
	return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
	strncpy(name, "Stand-in", (size_t)size);
	return 0;
}

int cuDeviceGetPCIBusId(char *address, int size, int device)
{
	strncpy(address, "0000:AF:00.0", (size_t)size);
	return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	*context = &retained;
	retained++;
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	/* The caller must have destroyed its streams and unpinned its memory. */
	if (streams || pinned)
		abort();
	retained--;
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	return context == &retained ? 0 : 201;
}

int cuMemAlloc_v2(unsigned long long *memory, size_t bytes)
{
	*memory = breaks("memory") ? 0 : (unsigned long long)malloc(bytes);
	return *memory ? 0 : 2;
}

int cuMemFree_v2(unsigned long long memory)
{
	free((void *)memory);
	return 0;
}

int cuMemHostRegister_v2(void *addr, size_t bytes, unsigned int flags)
{
	if (pinned || breaks("pin"))
		return 712;
	pinned = addr;
	pinned_bytes = bytes;
	return 0;
}

int cuMemHostUnregister(void *addr)
{
	if (pinned != addr)
		return 713;
	/* A pending copy would write to memory that has another use by then. */
	if (waiting)
		abort();
	pinned = NULL;
	return 0;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
	memcpy((void *)to, from, bytes);
	return 0;
}

static int make(struct stream *s)
{
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		memcpy(s->jobs[i].to, s->jobs[i].from, s->jobs[i].bytes);
		if (breaks("byte"))
			s->jobs[i].to[s->jobs[i].bytes / 2] ^= 1;
	}
	waiting -= s->count;
	s->count = 0;
	s->queried = 0;
	return breaks("copy") ? FAILED : 0;
}

int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, struct stream *s)
{
	if (s->count == JOBS || (++begun == 5 && breaks("begin")))
		return 2;
	waiting++;
	s->jobs[s->count++] = (struct job){.to = to, .from = (const char *)from, .bytes = bytes};
	/* The driver copies by buffers of its own to memory that it does not know. */
	if (!pinned || (char *)to < pinned || (char *)to + bytes > pinned + pinned_bytes)
		return make(s);
	return 0;
}

int cuStreamCreate(struct stream **stream, unsigned int flags)
{
	*stream = calloc(1, sizeof(**stream));
	streams += *stream != NULL;
	return *stream ? 0 : 2;
}

int cuStreamQuery(struct stream *s)
{
	return s->count && !s->queried++ ? NOT_READY : make(s);
}

int cuStreamSynchronize(struct stream *s)
{
	return make(s);
}

int cuStreamDestroy_v2(struct stream *s)
{
	free(s);
	streams--;
	return 0;
}

int cuGetErrorString(int error, const char **text)
{
	*text = error == FAILED ? "unspecified launch failure" : "it does not";
	return 0;
}
