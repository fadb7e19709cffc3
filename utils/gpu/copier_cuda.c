// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Access a GPU through its driver library. The library is opened at run time, so that it is not
 * needed for the build. Its functions and types are declared here, under the names that the library
 * exports; the numbers are those of the driver interface.
 */
#include "copier.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libcuda.so.1"
#define STREAM_NON_BLOCKING 1u
#define NOT_READY 600

typedef unsigned long long device_pointer;
typedef struct cuda_context *context;
typedef struct cuda_stream *stream_handle;

static struct {
	void *handle;
	int (*init)(unsigned int flags);
	int (*device_count)(int *count);
	int (*device_get)(int *device, int ordinal);
	int (*device_name)(char *name, int size, int device);
	int (*device_pci)(char *address, int size, int device);
	int (*context_retain)(context *context, int device);
	int (*context_release)(int device);
	int (*context_set)(context context);
	int (*memory_alloc)(device_pointer *memory, size_t bytes);
	int (*memory_free)(device_pointer memory);
	int (*host_register)(void *addr, size_t bytes, unsigned int flags);
	int (*host_unregister)(void *addr);
	int (*copy_up)(device_pointer to, const void *from, size_t bytes);
	int (*copy_down)(void *to, device_pointer from, size_t bytes, stream_handle stream);
	int (*stream_create)(stream_handle *stream, unsigned int flags);
	int (*stream_query)(stream_handle stream);
	int (*stream_wait)(stream_handle stream);
	int (*stream_destroy)(stream_handle stream);
	int (*error_text)(int error, const char **text);
} lib;

static const struct {
	const char *name;
	void **function;
} functions[] = {
	{"cuInit", (void **)&lib.init},
	{"cuDeviceGetCount", (void **)&lib.device_count},
	{"cuDeviceGet", (void **)&lib.device_get},
	{"cuDeviceGetName", (void **)&lib.device_name},
	{"cuDeviceGetPCIBusId", (void **)&lib.device_pci},
	{"cuDevicePrimaryCtxRetain", (void **)&lib.context_retain},
	{"cuDevicePrimaryCtxRelease_v2", (void **)&lib.context_release},
	{"cuCtxSetCurrent", (void **)&lib.context_set},
	{"cuMemAlloc_v2", (void **)&lib.memory_alloc},
	{"cuMemFree_v2", (void **)&lib.memory_free},
	{"cuMemHostRegister_v2", (void **)&lib.host_register},
	{"cuMemHostUnregister", (void **)&lib.host_unregister},
	{"cuMemcpyHtoD_v2", (void **)&lib.copy_up},
	{"cuMemcpyDtoHAsync_v2", (void **)&lib.copy_down},
	{"cuStreamCreate", (void **)&lib.stream_create},
	{"cuStreamQuery", (void **)&lib.stream_query},
	{"cuStreamSynchronize", (void **)&lib.stream_wait},
	{"cuStreamDestroy_v2", (void **)&lib.stream_destroy},
	{"cuGetErrorString", (void **)&lib.error_text},
};

struct cuda {
	struct copier copier;
	int device;
	bool has_context;
	device_pointer memory;
	stream_handle stream[COPIER_STREAMS];
	unsigned int stream_count;
};

static struct cuda *of(struct copier *c)
{
	return (struct cuda *)c;
}

static int load(char reason[UNITS_REASON])
{
	size_t i;

	if (!lib.handle)
		lib.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!lib.handle)
		return units_fail(
			reason, ENOENT,
			"There is no GPU driver on this machine (%s): install it, or use --source=cpu.",
			LIBRARY);
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*functions[i].function = dlsym(lib.handle, functions[i].name);
		if (!*functions[i].function)
			return units_fail(
				reason, ENOENT,
				"%s has no function %s: the GPU driver is older than that of CUDA 11, or is not a CUDA driver.",
				LIBRARY, functions[i].name);
	}
	return 0;
}

static int fail(char reason[UNITS_REASON], int error, const char *what)
{
	const char *text = NULL;

	if (lib.error_text(error, &text) || !text)
		text = "no reason given";
	return units_fail(reason, EIO, "GPU: %s: %s (error %d).", what, text, error);
}

static int pin(struct copier *c, void *addr, size_t length)
{
	int error = lib.host_register(addr, length, 0);

	return error ? fail(c->reason, error, "memory cannot be pinned") : 0;
}

static void unpin(struct copier *c, void *addr, size_t length)
{
	lib.host_unregister(addr);
}

static int upload(struct copier *c, uint64_t at, const void *data, size_t bytes)
{
	int error = lib.copy_up(of(c)->memory + at, data, bytes);

	return error ? fail(c->reason, error, "its memory cannot be written") : 0;
}

static int copy(struct copier *c, unsigned int stream, void *to, uint64_t from, size_t bytes)
{
	struct cuda *g = of(c);
	int error;

	if (from > c->memory || bytes > c->memory - from)
		return units_fail(c->reason, EINVAL,
				  "The range of the copy is outside the device memory.");
	error = lib.copy_down(to, g->memory + from, bytes, g->stream[stream]);
	return error ? fail(c->reason, error, "a copy cannot be started") : 0;
}

static int done(struct copier *c, unsigned int stream)
{
	int error = lib.stream_query(of(c)->stream[stream]);

	if (error == NOT_READY)
		return 0;
	return error ? fail(c->reason, error, "a copy failed") : 1;
}

static int wait_for(struct copier *c, unsigned int stream)
{
	int error = lib.stream_wait(of(c)->stream[stream]);

	return error ? fail(c->reason, error, "a copy failed") : 0;
}

static void close_cuda(struct copier *c)
{
	struct cuda *g = of(c);

	while (g->stream_count) {
		stream_handle stream = g->stream[--g->stream_count];

		lib.stream_wait(stream);
		lib.stream_destroy(stream);
	}
	if (g->memory)
		lib.memory_free(g->memory);
	if (g->has_context)
		lib.context_release(g->device);
	free(g);
}

static const struct copier_ops ops = {
	.name = "gpu",
	.pin = pin,
	.unpin = unpin,
	.upload = upload,
	.copy = copy,
	.done = done,
	.wait = wait_for,
	.close = close_cuda,
};

/* sysfs has a domain of four digits, in lower case. */
static void address_of(struct cuda *g)
{
	char text[64] = "", *at = text;
	size_t i;

	if (lib.device_pci(text, sizeof(text) - 1, g->device) || strlen(text) < 7)
		return;
	if (strlen(text) > 12)
		at += strlen(text) - 12;
	for (i = 0; at[i]; i++)
		g->copier.pci[i] = (char)tolower((unsigned char)at[i]);
}

static int open_device(struct cuda *g, const struct copier_options *o, char reason[UNITS_REASON])
{
	int error, count = 0;
	context opened;

	error = lib.init(0);
	if (error)
		return fail(reason, error, "the driver cannot be initialized");
	error = lib.device_count(&count);
	if (!error && o->device >= (unsigned int)count)
		return units_fail(reason, ENODEV, "GPU %u does not exist: the driver reports %d.",
				  o->device, count);
	if (!error)
		error = lib.device_get(&g->device, (int)o->device);
	if (!error)
		error = lib.device_name(g->copier.device, sizeof(g->copier.device) - 1, g->device);
	if (!error)
		error = lib.context_retain(&opened, g->device);
	if (error)
		return fail(reason, error, "the device cannot be opened");
	g->has_context = true;
	error = lib.context_set(opened);
	if (error)
		return fail(reason, error, "the device cannot be used");
	address_of(g);
	error = lib.memory_alloc(&g->memory, o->memory);
	if (error) {
		g->memory = 0;
		return fail(reason, error, "the device memory cannot be allocated");
	}
	g->copier.memory = o->memory;
	return 0;
}

struct copier *copier_cuda(const struct copier_options *o, char reason[UNITS_REASON])
{
	struct cuda *g;
	int error;

	if (load(reason))
		return NULL;
	g = calloc(1, sizeof(*g));
	if (!g) {
		units_fail(reason, ENOMEM, "Cannot allocate the copier.");
		return NULL;
	}
	g->copier.ops = &ops;
	g->copier.streams = o->streams;
	if (open_device(g, o, reason))
		goto fail;
	while (g->stream_count < o->streams) {
		error = lib.stream_create(&g->stream[g->stream_count], STREAM_NON_BLOCKING);
		if (error) {
			fail(reason, error, "a stream cannot be created");
			goto fail;
		}
		g->stream_count++;
	}
	return &g->copier;

fail:
	close_cuda(&g->copier);
	return NULL;
}
