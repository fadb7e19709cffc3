// SPDX-License-Identifier: LGPL-2.1-or-later
/* Make and map the rings of a sub-unit, allocate the tables of its pages, and add host memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fragment.h"
#include "fragment_index.h"
#include "libroc.h"

int libroc_need_fragment_rings(const struct roc_fragments *f)
{
	int ret = libroc_need_opener(&f->c.node, f->c.name);

	if (ret || f->pages)
		return ret;
	return roc_fail(
		EPIPE,
		"%s: the rings do not exist yet: call roc_fragments_rings(), _add() or _start() first",
		f->c.name);
}

static int fail_rings(int err, const struct roc_fragments *f, const struct roc_fr_rings *arg)
{
	switch (arg->reason) {
	case ROC_REASON_NONE:
		break;
	case ROC_REASON_MEMLOCK:
		return roc_fail(
			err,
			"%s: cannot make the rings: the limit is %llu bytes and %llu of them are in use: %s",
			f->c.name, (unsigned long long)arg->limit, (unsigned long long)arg->pinned,
			roc_reason_text(arg->reason));
	case ROC_REASON_LENGTH:
		return roc_fail(
			err,
			"%s: cannot make rings for pages of %u bytes, host pages of %u bytes and %u requests: one of these exceeds the card's limit of %llu",
			f->c.name, arg->page_size, arg->host_page_size, arg->commands,
			(unsigned long long)arg->limit);
	case ROC_REASON_OWNER:
		return roc_fail(
			err,
			"%s: only the process that opened the sub-unit can make its rings: open it after fork()",
			f->c.name);
	default:
		return roc_fail(err, "%s: cannot make the rings: %s", f->c.name,
				roc_reason_text(arg->reason));
	}
	switch (err) {
	case EINVAL:
		return roc_fail(
			err,
			"%s: cannot make rings for pages of %u bytes, host pages of %u bytes and %u requests: use powers of two from %u to %u, from %u to %u but not below the page, and from %u to %u, or 0 for the default, and check that a link has memory for %u pages",
			f->c.name, arg->page_size, arg->host_page_size, arg->commands,
			ROC_FR_PAGE_MIN, ROC_FR_PAGE_MAX, ROC_FR_HOST_PAGE_MIN,
			ROC_FR_HOST_PAGE_MAX, ROC_FR_COMMANDS_MIN, ROC_FR_COMMANDS_MAX, arg->pages);
	case EBUSY:
		return roc_fail(
			err,
			"%s: the rings exist already: they are made once per open; close the sub-unit to change their sizes",
			f->c.name);
	case ENOMEM:
		return roc_fail(
			err,
			"%s: the kernel cannot allocate the rings on the card's NUMA node (numactl -H): use larger pages, or reserve fewer hugepages",
			f->c.name);
	default:
		return libroc_fail_ioctl(err, f->c.name, "cannot make the rings");
	}
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static bool fits(uint64_t offset, uint64_t entries, uint64_t size, uint64_t length)
{
	return offset <= length && entries <= (length - offset) / size;
}

/* Check that all later accesses to the mapped rings are in bounds. */
static bool rings_valid(const struct roc_fr_rings *r)
{
	uint64_t pages = (uint64_t)r->links * r->pages;

	return r->links && r->links <= ROC_FRAGMENTS_LINKS_MAX && r->pages &&
	       pages <= ROC_FRAGMENT_INDEX_MAX && power_of_two(r->descriptors) &&
	       power_of_two(r->frees) && power_of_two(r->commands) && r->descriptors >= pages &&
	       r->frees >= pages && r->kernel_length >= sizeof(struct roc_fr_kernel) &&
	       r->user_length >= sizeof(struct roc_fr_user) &&
	       (!r->bell_length || r->bell_length >= sizeof(struct roc_fr_bell)) &&
	       fits(r->descriptors_offset, r->descriptors, sizeof(struct roc_fr_descriptor),
		    r->kernel_length) &&
	       fits(r->completions_offset, r->commands, sizeof(struct roc_fr_completion),
		    r->kernel_length) &&
	       fits(r->frees_offset, r->frees, sizeof(__le32), r->user_length) &&
	       fits(r->commands_offset, r->commands, sizeof(struct roc_fr_command), r->user_length);
}

static int fail_unsound(const struct roc_fragments *f)
{
	return roc_fail(
		EPROTO,
		"%s: the roc module reports invalid ring sizes: install library and module of the same version",
		f->c.name);
}

void libroc_fragment_unmap(struct roc_fragments *f)
{
	libroc_node_unmap(&f->c.node, f->kernel_area, f->made.kernel_length);
	libroc_node_unmap(&f->c.node, f->user_area, f->made.user_length);
	libroc_node_unmap(&f->c.node, f->bell, f->made.bell_length);
	f->kernel_area = NULL;
	f->user_area = NULL;
	f->bell = NULL;
}

static int map_rings(struct roc_fragments *f)
{
	const struct roc_fr_rings *r = &f->made;
	int err = 0;

	f->kernel_area =
		libroc_node_map(&f->c.node, r->kernel_length, r->kernel_offset, PROT_READ, &err);
	if (f->kernel_area)
		f->user_area = libroc_node_map(&f->c.node, r->user_length, r->user_offset,
					       PROT_READ | PROT_WRITE, &err);
	if (f->user_area && r->bell_length)
		f->bell = libroc_node_map(&f->c.node, r->bell_length, r->bell_offset, PROT_WRITE,
					  &err);
	if (err) {
		libroc_fragment_unmap(f);
		return libroc_fail_map(err, f->c.name, "cannot map the rings");
	}
	f->kernel = (const void *)f->kernel_area;
	f->descriptors = (const void *)(f->kernel_area + r->descriptors_offset);
	f->completions = (const void *)(f->kernel_area + r->completions_offset);
	f->user = (void *)f->user_area;
	f->frees = (void *)(f->user_area + r->frees_offset);
	f->commands = (void *)(f->user_area + r->commands_offset);
	f->descriptor_entries = r->descriptors;
	f->free_entries = r->frees;
	f->command_entries = r->commands;
	f->page_size = r->page_size;
	f->host_page_size = r->host_page_size;
	return 0;
}

/* Allocate the tables for the maximum of pages and host pages: a run allocates nothing. */
static int make_tables(struct roc_fragments *f, uint32_t pages, uint32_t host_pages)
{
	struct roc_fragment_index *index;
	int ret;

	ret = roc_fragment_index_new(f->links * pages, f->links, &index);
	if (ret)
		return ret;
	f->card_pages = calloc((size_t)f->links * pages, sizeof(*f->card_pages));
	f->host_pages = calloc(host_pages, sizeof(*f->host_pages));
	if (!f->card_pages || !f->host_pages) {
		roc_fragment_index_free(index);
		free(f->card_pages);
		free(f->host_pages);
		f->card_pages = NULL;
		f->host_pages = NULL;
		return roc_fail(ENOMEM, "%s: cannot allocate the tables of %u pages", f->c.name,
				f->links * pages + host_pages);
	}
	f->index = index;
	f->host_pages_max = host_pages;
	while (UINT64_C(1) << f->shift < host_pages)
		f->shift++;
	f->free = LIBROC_FRAGMENT_NONE;
	f->returned_first = LIBROC_FRAGMENT_NONE;
	return 0;
}

static int make_rings(struct roc_fragments *f, uint32_t page, uint32_t pages, uint32_t host_page,
		      uint32_t commands)
{
	struct roc_fr_rings arg = {.size = sizeof(arg),
				   .page_size = page,
				   .pages = pages,
				   .host_page_size = host_page,
				   .commands = commands};
	int ret = libroc_node_ioctl(&f->c.node, ROC_FR_RINGS, &arg);

	if (ret)
		return fail_rings(-ret, f, &arg);
	if (!rings_valid(&arg) || arg.links != f->links)
		return fail_unsound(f);
	f->made = arg;
	return 0;
}

int roc_fragments_info(struct roc_fragments *f, struct roc_fr_info *info)
{
	return libroc_named_info(libroc_target_own(&f->c), info);
}

int roc_fragments_rings(struct roc_fragments *f, uint32_t page, uint32_t pages, uint32_t host_page,
			uint32_t commands)
{
	struct roc_fr_info info;
	int ret;

	ret = roc_fragments_info(f, &info);
	if (ret)
		return ret;
	if (!info.host_pages_max)
		return fail_unsound(f);
	if (!f->made.size || f->pages) {
		ret = make_rings(f, page, pages, host_page, commands);
		if (ret)
			return ret;
	}
	ret = map_rings(f);
	if (ret)
		return ret;
	ret = make_tables(f, f->made.pages, info.host_pages_max);
	if (ret) {
		libroc_fragment_unmap(f);
		return ret;
	}
	f->pages = f->made.pages;
	return 0;
}

/* Ask the driver for the numbers of a buffer's host pages, which follow the existing ones. */
static int number(struct roc_fragments *f, char *addr, size_t length, uint32_t handle)
{
	struct roc_fr_pages arg = {.size = sizeof(arg), .handle = handle};
	uint32_t i;
	int ret = libroc_node_ioctl(&f->c.node, ROC_FR_PAGES, &arg);

	if (ret)
		return libroc_fail_ioctl(-ret, f->c.name, "cannot read the numbers of host pages");
	if (arg.first != f->host_page_count || arg.count != length / f->host_page_size ||
	    arg.count > f->host_pages_max - f->host_page_count)
		return roc_fail(
			EPROTO,
			"%s: the roc module numbers %u host pages of a buffer from %u, but %zu from %u were expected: install library and module of the same version",
			f->c.name, arg.count, arg.first, length / f->host_page_size,
			f->host_page_count);
	/* Add the last page first, so that the first page is allocated next. */
	for (i = arg.count; i > 0; i--) {
		f->host_pages[arg.first + i - 1].data = addr + (i - 1) * (size_t)f->host_page_size;
		libroc_fragment_host_page_back(f, arg.first + i - 1);
	}
	f->host_page_count += arg.count;
	return 0;
}

int roc_fragments_add(struct roc_fragments *f, void *addr, size_t length)
{
	struct roc_channel ch = {.node = f->c.node}; /* for its error texts */
	uint32_t handle;
	int ret;

	ret = f->pages ? libroc_need_fragment_rings(f) : roc_fragments_rings(f, 0, 0, 0, 0);
	if (ret)
		return ret;
	if (!length || length % f->host_page_size)
		return roc_fail(
			EINVAL,
			"%s: a buffer of %zu bytes is not a multiple of the host page size of %u bytes",
			f->c.name, length, f->host_page_size);
	if (length / f->host_page_size > f->host_pages_max - f->host_page_count)
		return roc_fail(
			ENOSPC,
			"%s: cannot add %zu host pages to the existing %u, because the card supports %u: add less memory, or use larger host pages",
			f->c.name, length / f->host_page_size, f->host_page_count,
			f->host_pages_max);
	strcpy(ch.name, f->c.name);
	ret = roc_buffer_register(&ch, addr, length, f->host_page_size, &handle);
	if (ret)
		return ret;
	ret = number(f, addr, length, handle);
	if (ret)
		roc_buffer_unregister(&ch, handle);
	return ret;
}
