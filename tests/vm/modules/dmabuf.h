/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal declarations of roc-test-dmabuf.ko: see dmabuf_test.h.
 */
#ifndef DMABUF_H
#define DMABUF_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "dmabuf_test.h"

/* One open file. */
struct dmabuf_file {
	struct mutex lock;
	struct xarray imports;
};

extern atomic_t dmabuf_exports_alive;
extern atomic_t dmabuf_imports_alive;

/* dmabuf_export.c */
int dmabuf_export(struct dmabuf_export *arg);
int dmabuf_use(struct dmabuf_use *arg);

/* dmabuf_import.c; the file's lock is held */
int dmabuf_attach(struct dmabuf_file *f, struct dmabuf_attach *arg);
int dmabuf_detach(struct dmabuf_file *f, struct dmabuf_import *arg);
int dmabuf_map(struct dmabuf_file *f, struct dmabuf_import *arg);
int dmabuf_unmap(struct dmabuf_file *f, struct dmabuf_import *arg);
int dmabuf_state(struct dmabuf_file *f, struct dmabuf_import *arg);
int dmabuf_copy(struct dmabuf_file *f, struct dmabuf_copy *arg);
void dmabuf_detach_all(struct dmabuf_file *f);

#endif /* DMABUF_H */
