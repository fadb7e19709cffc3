// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guest memory files, and the handling of their truncation during DMA.
 */
#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "tests/emu/log.h"

/* Files whose memory this thread may be using. The signal handler has no other reference. */
static _Thread_local struct memory_files *used;

void memory_files_used(struct memory_files *files)
{
	used = files;
}

/* Map empty memory in place of the lost page. The access is repeated and uses that memory. */
static bool replace_page(uint8_t *at)
{
	static const char text[] = "roc-emu: guest memory is lost, its file was truncated\n";
	struct memory_file *f;
	size_t off;

	for (f = used ? used->first : NULL; f; f = f->next) {
		if (at >= f->base && (uint64_t)(at - f->base) < f->size)
			break;
	}
	if (!f)
		return false;
	off = at - f->base;
	off -= off % f->page;
	if (mmap(f->base + off, f->page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	if (!f->cut)
		emu_log_line(text, sizeof(text) - 1);
	f->cut = 1;
	used->lost++;
	return true;
}

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	/*
	 * Any other SIGBUS is a bug of this process: without the handler the repeated access ends
	 * the process.
	 */
	if (info->si_code <= 0 || !replace_page(info->si_addr))
		signal(SIGBUS, SIG_DFL);
	errno = saved;
}

static void guard(void)
{
	struct sigaction action = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}

/* Huge pages can only be replaced as a whole. */
static size_t page_size(int fd)
{
	struct statfs s;

	if (!fstatfs(fd, &s) && s.f_type == HUGETLBFS_MAGIC)
		return s.f_bsize;
	return sysconf(_SC_PAGESIZE);
}

/* Compare access rights, too: two descriptors of one file may have different rights. */
static bool is_the_file(const struct memory_file *f, const struct stat *st, int mode)
{
	return f->dev == st->st_dev && f->ino == st->st_ino && f->size == (uint64_t)st->st_size &&
	       f->mode == mode && !f->cut;
}

static int open_file(int fd, const struct stat *st, int mode, struct memory_file *f)
{
	int rc;

	*f = (struct memory_file){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.mode = mode,
		.page = page_size(fd),
		.writable = true,
		.users = 1,
	};
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (f->fd < 0)
		return -errno;
	f->base = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->base == MAP_FAILED) {
		f->writable = false;
		f->base = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (f->base == MAP_FAILED) {
		rc = -errno;
		close(f->fd);
		return rc;
	}
	return 0;
}

int memory_file_get(struct memory_files *files, int fd, struct memory_file **file)
{
	static pthread_once_t guarded = PTHREAD_ONCE_INIT;
	struct memory_file *f;
	struct stat st;
	int mode, rc;

	pthread_once(&guarded, guard);
	if (fstat(fd, &st))
		return -errno;
	mode = fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH);
	for (f = files->first; f; f = f->next) {
		if (is_the_file(f, &st, mode)) {
			f->users++;
			*file = f;
			return 0;
		}
	}
	f = malloc(sizeof(*f));
	if (!f)
		return -ENOMEM;
	rc = open_file(fd, &st, mode, f);
	if (rc) {
		free(f);
		return rc;
	}
	f->next = files->first;
	files->first = f;
	*file = f;
	return 0;
}

void memory_file_put(struct memory_files *files, struct memory_file *file)
{
	struct memory_file **at;

	if (!file || --file->users)
		return;
	for (at = &files->first; *at != file; at = &(*at)->next)
		;
	*at = file->next;
	munmap(file->base, file->size);
	close(file->fd);
	free(file);
}

bool memory_file_there(struct memory_files *files, struct memory_file *file, uint64_t offset,
		       size_t *len)
{
	uint64_t there = 0;
	struct stat st;

	if (!file->cut)
		return true;
	if (!fstat(file->fd, &st))
		there = (st.st_size + file->page - 1) / file->page * file->page;
	if (offset >= there) {
		files->lost++;
		return false;
	}
	if (*len > there - offset)
		*len = there - offset;
	return true;
}
