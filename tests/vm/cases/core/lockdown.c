// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test a kernel under lockdown, which even root cannot revert: run it last in its guest.
 * CAP_SYS_RAWIO has no effect then, and the group's rights are unchanged.
 */
#include "common/case.h"

#include <sys/mman.h>
#include <sys/mount.h>

#define LOCKDOWN "/sys/kernel/security/lockdown"

static int map(int fd, uint32_t bar, int prot)
{
	struct roc_bar_info info = {.size = sizeof(info), .bar = bar};
	void *p;

	if (abi(fd, ROC_BAR_INFO, &info))
		return -EIO;
	p = mmap(NULL, info.length, prot, MAP_SHARED, fd, info.mmap_offset);
	if (p == MAP_FAILED)
		return -errno;
	munmap(p, info.length);
	return 0;
}

/* Operations that need CAP_SYS_RAWIO. */
static void check(int want)
{
	int cru = node_open(EP0, -1), crorc = node_open(CRORC_ID, -1);
	uint32_t v;

	UNIT_NEED(cru >= 0 && crorc >= 0);
	UNIT_EQ(map(cru, CRU_BAR_DMA, PROT_READ | PROT_WRITE), want);
	UNIT_EQ(map(crorc, 3, PROT_READ), want);
	UNIT_EQ(reg_write(cru, CRU_BAR_DMA, CRU_SP_LOW(0), 0), want);
	UNIT_EQ(reg_modify(cru, CRU_BAR_DMA, CRU_SP_HIGH(0), 1, 0, NULL), want);
	UNIT_EQ(reg_read(cru, CRU_BAR_DMA, CRU_SP_LOW(0), &v), want);
	UNIT_EQ(reg_write(crorc, 3, CRORC_DONE_LOW, 0), want);
	UNIT_EQ(reg_write(cru, CRU_BAR_CARD, CRU_FLASH_WRITE_DATA, 0), want);
	/* Operations that do not. */
	UNIT_EQ(map(cru, CRU_BAR_DMA, PROT_READ), 0);
	UNIT_EQ(map(cru, CRU_BAR_CARD, PROT_READ | PROT_WRITE), 0);
	UNIT_EQ(reg_write(cru, CRU_BAR_DMA, CRU_SCRATCH, 0x42), 0);
	UNIT_EQ(reg_read(crorc, 3, CRORC_SP_SIZE, &v), 0);
	close(cru);
	close(crorc);
}

static void before(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	emu_normal_crorc(CRORC0);
	check(0);
}

static void after(void)
{
	struct rig r = {.id = EP0, .source = ROC_SOURCE_DDG};

	if (access(LOCKDOWN, F_OK) && mount("none", "/sys/kernel/security", "securityfs", 0, NULL))
		return unit_skip("no securityfs");
	if (access(LOCKDOWN, F_OK))
		return unit_skip("this kernel has no lockdown");
	UNIT_EQ(put_text(LOCKDOWN, "integrity"), 0);
	check(-EPERM);
	CU_ASSERT(rig_once(&r, 20, 10000));
	RIG_OK(&r);
	rig_close(&r);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("lockdown", {"before", before}, {"after", after})
