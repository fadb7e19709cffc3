// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test registers whose effect outlasts a power cycle or that replace the firmware: the CRU's flash,
 * its remote update, its EEPROM, the memory of its PLLs, and the C-RORC's flash. A write needs
 * CAP_SYS_RAWIO and a card without a running channel; mappings do not reach them.
 */
#include "common/case.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096ul
#define STORAGE 0x100010 /* BAR2, plain storage: NACK delay */
#define SCRATCH_PLL CRU_I2C_SI5345_1
#define PLL_REGISTER 0x20
#define I2C_CONFIG(chip, reg, value)                                                               \
	((uint32_t)(chip) << CRU_I2C_CONFIG_CHIP_SHIFT | (reg) << CRU_I2C_CONFIG_REG_SHIFT |       \
	 (value))

static const char *const endpoints[] = {EP0, EP1};

static const uint32_t whole[] = {
	CRU_RSU_CONDITION, CRU_RSU_PAGE,   CRU_RSU_CONTROL,	 CRU_RSU + CRU_RSU_SIZE - 4,
	CRU_FLASH_CSR,	   CRU_FLASH_DATA, CRU_FLASH_WRITE_DATA, CRU_FLASH + CRU_FLASH_SIZE - 4,
};

/* Registers beside them that the group may write. */
static const uint32_t neighbours[] = {
	CRU_RSU - 4,
	CRU_RSU + CRU_RSU_SIZE,
	CRU_FLASH - 4,
	CRU_UL_EVENT_SIZE,
};

static int refused_as_user(void *arg)
{
	unsigned int e, i;

	for (e = 0; e < N(endpoints); e++) {
		int fd = node_open(endpoints[e], -1);

		for (i = 0; i < N(whole); i++) {
			if (reg_write(fd, CRU_BAR_CARD, whole[i], 0x5a) != -EPERM)
				return 10 + i;
			if (reg_modify(fd, CRU_BAR_CARD, whole[i], 1, 1, NULL) != -EPERM)
				return 30 + i;
			if (reg_modify(fd, CRU_BAR_CARD, whole[i], UINT32_MAX, 0, NULL) != -EPERM)
				return 50 + i;
		}
		for (i = 0; i < N(neighbours); i++)
			if (reg_write(fd, CRU_BAR_CARD, neighbours[i], 0))
				return 70 + i;
		close(fd);
	}
	return 0;
}

static void refused(void)
{
	unsigned int e, i;

	emu_normal(CARD0, FOUR_LINKS);
	UNIT_EQ(child_run(AS_READER, refused_as_user, NULL, 10000), 0);
	UNIT_EQ(child_run(AS_ROOT_NO_CAPS, refused_as_user, NULL, 10000), 0);
	for (e = 0; e < N(endpoints); e++)
		for (i = 0; i < N(whole); i++)
			UNIT_EQ(emu_touched(CARD0, e, CRU_BAR_CARD, whole[i]).writes, 0);
}

static int strobe(int fd, uint32_t core, uint32_t config, uint32_t command, uint32_t *answer)
{
	int err = reg_write(fd, CRU_BAR_CARD, core + CRU_I2C_CONFIG, config);

	if (!err)
		err = reg_write(fd, CRU_BAR_CARD, core + CRU_I2C_COMMAND, command);
	if (!err)
		err = reg_write(fd, CRU_BAR_CARD, core + CRU_I2C_COMMAND, 0);
	return err ? err : reg_read(fd, CRU_BAR_CARD, core + CRU_I2C_DATA, answer);
}

static int eeprom_byte(int fd, unsigned int reg)
{
	uint32_t answer = 0;
	int err = strobe(fd, CRU_I2C_EEPROM, I2C_CONFIG(CRU_I2C_CHIP_EEPROM, reg, 0), CRU_I2C_READ,
			 &answer);

	if (err)
		return err;
	return answer & CRU_I2C_DATA_DONE ? (int)(answer & CRU_I2C_DATA_VALUE) : -ETIME;
}

/* The EEPROM's text begins with a brace. The group may read it and load its serial number again. */
static int eeprom_as_user(void *arg)
{
	static const uint32_t commands[] = {CRU_I2C_WRITE, CRU_I2C_WRITE | CRU_I2C_READ, UINT32_MAX,
					    CRU_I2C_WRITE | CRU_I2C_RESET};
	uint32_t command = CRU_I2C_EEPROM + CRU_I2C_COMMAND, v;
	int fd = node_open(EP0, -1);
	unsigned int i;

	if (eeprom_byte(fd, 0) != '{')
		return 1;
	if (reg_write(fd, CRU_BAR_CARD, CRU_I2C_EEPROM + CRU_I2C_CONFIG,
		      I2C_CONFIG(CRU_I2C_CHIP_EEPROM, 0, 'x')))
		return 2;
	for (i = 0; i < N(commands); i++)
		if (reg_write(fd, CRU_BAR_CARD, command, commands[i]) != -EPERM)
			return 10 + i;
	if (reg_modify(fd, CRU_BAR_CARD, command, CRU_I2C_WRITE, CRU_I2C_WRITE, NULL) != -EPERM)
		return 3;
	if (reg_modify(fd, CRU_BAR_CARD, command, CRU_I2C_READ, 0, NULL))
		return 4;
	if (eeprom_byte(fd, 0) != '{')
		return 5;
	if (reg_write(fd, CRU_BAR_CARD, CRU_SERIAL_LOAD, CRU_SERIAL_LOAD_GO) ||
	    reg_write(fd, CRU_BAR_CARD, CRU_SERIAL_LOAD, 0) ||
	    reg_read(fd, CRU_BAR_CARD, CRU_SERIAL, &v))
		return 6;
	close(fd);
	return 0;
}

static void eeprom(void)
{
	int fd = node_open(EP0, -1);
	uint32_t v;

	UNIT_EQ(child_run(AS_READER, eeprom_as_user, NULL, 10000), 0);
	UNIT_EQ(child_run(AS_ROOT_NO_CAPS, eeprom_as_user, NULL, 10000), 0);
	/* With the capability it can be written. */
	UNIT_EQ(strobe(fd, CRU_I2C_EEPROM, I2C_CONFIG(CRU_I2C_CHIP_EEPROM, 200, 0x42),
		       CRU_I2C_WRITE, &v),
		0);
	UNIT_EQ(eeprom_byte(fd, 200), 0x42);
	close(fd);
}

/* The group may program the PLLs; the command that burns their registers is refused. */
static int pll_as_user(void *arg)
{
	static const uint32_t cores[] = {CRU_I2C_SI5344, CRU_I2C_SI5345_1, CRU_I2C_SI5345_2};
	int fd = node_open(EP0, -1);
	uint32_t chip = CRU_I2C_CHIP_PLL, answer = 0;
	unsigned int burn = CRU_PLL_NVM_WRITE & 0xff, i;

	if (strobe(fd, SCRATCH_PLL, I2C_CONFIG(chip, CRU_PLL_PAGE, 0), CRU_I2C_WRITE, &answer) ||
	    strobe(fd, SCRATCH_PLL, I2C_CONFIG(chip, PLL_REGISTER, 0x77), CRU_I2C_WRITE, &answer) ||
	    strobe(fd, SCRATCH_PLL, I2C_CONFIG(chip, PLL_REGISTER, 0), CRU_I2C_READ, &answer) ||
	    answer != (CRU_I2C_DATA_DONE | 0x77))
		return 1;
	for (i = 0; i < N(cores); i++) {
		uint32_t config = cores[i] + CRU_I2C_CONFIG;

		if (reg_write(fd, CRU_BAR_CARD, config, I2C_CONFIG(chip, burn, 0xc7)) != -EPERM ||
		    reg_write(fd, CRU_BAR_CARD, config, I2C_CONFIG(0, burn, 0)) != -EPERM ||
		    reg_write(fd, CRU_BAR_CARD, config, I2C_CONFIG(chip, burn, 0) | 1u << 31) !=
			    -EPERM)
			return 10 + i;
		if (reg_write(fd, CRU_BAR_CARD, config, I2C_CONFIG(chip, burn - 1, 0xc7)) ||
		    reg_modify(fd, CRU_BAR_CARD, config, CRU_I2C_CONFIG_REG,
			       burn << CRU_I2C_CONFIG_REG_SHIFT, NULL) != -EPERM ||
		    reg_write(fd, CRU_BAR_CARD, config, I2C_CONFIG(chip, burn + 1, 0)))
			return 20 + i;
	}
	close(fd);
	return 0;
}

static void pll(void)
{
	UNIT_EQ(child_run(AS_READER, pll_as_user, NULL, 10000), 0);
	UNIT_EQ(child_run(AS_ROOT_NO_CAPS, pll_as_user, NULL, 10000), 0);
}

static void touch(void *p)
{
	(void)*(volatile uint32_t *)p;
}

static void store(void *p)
{
	*(volatile uint32_t *)p = 0x5a;
}

static uint8_t *map(int fd, unsigned int bar, uint64_t offset, size_t length, int prot)
{
	struct roc_bar_info info = {.size = sizeof(info), .bar = bar};

	if (abi(fd, ROC_BAR_INFO, &info))
		return MAP_FAILED;
	return mmap(NULL, length ? length : info.length, prot, MAP_SHARED, fd,
		    info.mmap_offset + offset);
}

/* Every register of a page with a protected one can be read and not stored to. */
static const uint32_t in_pages[] = {
	CRU_RSU_CONTROL,
	CRU_FLASH_CSR,
	CRU_FLASH_WRITE_DATA,
	CRU_I2C_SI5344,
	CRU_I2C_SI5345_1 + CRU_I2C_COMMAND,
	CRU_I2C_EEPROM + CRU_I2C_COMMAND,
	CRU_I2C_TEMPERATURE,
};

/* In a mapping of the whole BAR, check that exactly the unprotected pages take stores. */
static int stores(uint8_t *bar)
{
	unsigned int i;

	for (i = 0; i < N(in_pages); i++) {
		if (faults(store, bar + in_pages[i]) != SIGBUS)
			return 10 + i;
		if (faults(touch, bar + in_pages[i]))
			return 20 + i;
		/* An earlier read of a page makes no difference. */
		if (faults(store, bar + in_pages[i]) != SIGBUS)
			return 30 + i;
	}
	for (i = 0; i < N(neighbours); i++)
		if (neighbours[i] / PAGE != CRU_I2C_TEMPERATURE / PAGE &&
		    faults(store, bar + neighbours[i]))
			return 40 + i;
	return faults(touch, bar + STORAGE) || faults(store, bar + STORAGE) ? 1 : 0;
}

static int mapped(void *arg)
{
	int fd = node_open(EP0, -1);
	size_t length = CRU_BAR_CARD_SIZE;
	uint8_t *p, *q;
	int bad;

	p = map(fd, CRU_BAR_CARD, 0, 0, PROT_READ | PROT_WRITE);
	if (p == MAP_FAILED)
		return 2;
	bad = stores(p);
	if (bad)
		return bad;
	/* Neither mprotect() nor mremap() makes it writable. */
	if (mprotect(p, length, PROT_READ) || mprotect(p, length, PROT_READ | PROT_WRITE))
		return 3;
	bad = stores(p);
	if (bad)
		return 100 + bad;
	q = mremap(
		p, length, length, MREMAP_MAYMOVE | MREMAP_FIXED,
		mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	if (q == MAP_FAILED)
		return 4;
	bad = stores(q);
	if (bad)
		return 150 + bad;
	/* The rest of a partly unmapped mapping. */
	munmap(q, CRU_FLASH_WRITE_DATA / PAGE * PAGE);
	if (faults(store, q + CRU_FLASH_WRITE_DATA) != SIGBUS)
		return 5;
	munmap(q, length);

	/* Mapped for reading, then made writable. */
	p = map(fd, CRU_BAR_CARD, 0, 0, PROT_READ);
	if (p == MAP_FAILED || faults(touch, p + CRU_FLASH_WRITE_DATA) ||
	    mprotect(p, length, PROT_READ | PROT_WRITE))
		return 6;
	bad = stores(p);
	if (bad)
		return 200 + bad;
	munmap(p, length);
	close(fd);
	return 0;
}

/* A writable mapping with only protected pages is refused at once. */
static int nothing_to_write(void *arg)
{
	int fd = node_open(EP0, -1), both = PROT_READ | PROT_WRITE;
	uint8_t *p;

	if (map(fd, CRU_BAR_CARD, CRU_FLASH, CRU_FLASH_SIZE, both) != MAP_FAILED || errno != EPERM)
		return 1;
	if (map(fd, CRU_BAR_CARD, CRU_RSU, PAGE, PROT_WRITE) != MAP_FAILED || errno != EPERM)
		return 2;
	if (map(fd, CRU_BAR_CARD, CRU_I2C_TEMPERATURE, PAGE, both) != MAP_FAILED || errno != EPERM)
		return 3;
	p = map(fd, CRU_BAR_CARD, CRU_FLASH, CRU_FLASH_SIZE, PROT_READ);
	if (p == MAP_FAILED || faults(touch, p))
		return 4;
	if (!mprotect(p, PAGE, both) || errno != EACCES)
		return 5;
	munmap(p, CRU_FLASH_SIZE);
	/* One unprotected page is enough. */
	p = map(fd, CRU_BAR_CARD, CRU_FLASH - PAGE, 2 * PAGE, both);
	if (p == MAP_FAILED || faults(store, p) || faults(store, p + PAGE) != SIGBUS)
		return 6;
	munmap(p, 2 * PAGE);
	close(fd);
	return 0;
}

static void mappings(void)
{
	static const enum run_as openers[] = {AS_READER, AS_ROOT_NO_CAPS, AS_ROOT};
	unsigned int i;
	int fd;

	emu_normal(CARD0, FOUR_LINKS);
	for (i = 0; i < N(openers); i++) {
		UNIT_EQ(child_run(openers[i], mapped, NULL, 20000), 0);
		UNIT_EQ(child_run(openers[i], nothing_to_write, NULL, 10000), 0);
	}
	for (i = 0; i < N(in_pages); i++)
		UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_CARD, in_pages[i]).writes, 0);
	CU_ASSERT(emu_touched(CARD0, 0, CRU_BAR_CARD, STORAGE).writes > 0);
	/* A C-RORC has its flash in the only page of each BAR. */
	fd = node_open(CRORC_ID, -1);
	for (i = 0; i < CRORC_CHANNELS; i++) {
		struct roc_bar_info info = {.size = sizeof(info), .bar = i};
		uint8_t *p;

		UNIT_EQ(abi(fd, ROC_BAR_INFO, &info), 0);
		UNIT_EQ(info.access, ROC_BAR_MMAP_READ | ROC_BAR_REG_WRITE);
		CU_ASSERT(map(fd, i, 0, 0, PROT_READ | PROT_WRITE) == MAP_FAILED && errno == EPERM);
		p = map(fd, i, 0, 0, PROT_READ);
		CU_ASSERT(p != MAP_FAILED && mprotect(p, info.length, PROT_WRITE));
		munmap(p, info.length);
	}
	close(fd);
}

/* As root: the result of a write to each protected register of the card through each endpoint. */
static void all_answer(int want)
{
	unsigned int e, i;

	for (e = 0; e < N(endpoints); e++) {
		int fd = node_open(endpoints[e], -1);

		for (i = 0; i < N(whole); i++) {
			UNIT_EQ(reg_write(fd, CRU_BAR_CARD, whole[i], 0x5a), want);
			UNIT_EQ(reg_modify(fd, CRU_BAR_CARD, whole[i], UINT32_MAX, 0, NULL), want);
		}
		UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_I2C_EEPROM + CRU_I2C_COMMAND,
				  CRU_I2C_WRITE),
			want);
		UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_I2C_EEPROM + CRU_I2C_COMMAND, 0), 0);
		UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_I2C_SI5344 + CRU_I2C_CONFIG,
				  I2C_CONFIG(CRU_I2C_CHIP_PLL, CRU_PLL_NVM_WRITE & 0xff, 0)),
			want);
		close(fd);
	}
}

static int kill_me(void *arg)
{
	struct rig r = {.id = EP1, .superpage = 256 * KIB};

	if (!rig_open(&r) || !rig_start(&r))
		return 1;
	raise(SIGKILL);
	return 2;
}

/*
 * Both orders: while a channel of either endpoint and source runs, a write fails; an earlier write
 * does not keep a channel from starting.
 */
static void running(void)
{
	struct rig one = {.id = EP0, .source = ROC_SOURCE_DDG}, other = {.id = EP1};
	char address[ROC_TEXT_MAX];

	emu_normal(CARD0, FOUR_LINKS);
	all_answer(0);
	UNIT_NEED(rig_open(&one) && rig_open(&other));
	all_answer(0);
	CU_ASSERT(rig_start(&other));
	emu(CARD0, "clear");
	all_answer(-EBUSY);
	UNIT_EQ(emu_touched(CARD0, 0, CRU_BAR_CARD, CRU_RSU_CONTROL).writes, 0);
	UNIT_EQ(emu_touched(CARD0, 1, CRU_BAR_CARD, CRU_FLASH_WRITE_DATA).writes, 0);
	CU_ASSERT(rig_start(&one));
	CU_ASSERT(rig_stop(&other));
	all_answer(-EBUSY);
	CU_ASSERT(rig_stop(&one));
	all_answer(0);
	/* Closed while it runs, by itself and by its process's end; lost with its function. */
	CU_ASSERT(rig_start(&one));
	rig_close(&one);
	all_answer(0);
	RIG_OK(&one);
	rig_close(&other);
	UNIT_EQ(child_run(AS_READER, kill_me, NULL, 10000), -2);
	all_answer(0);
	UNIT_NEED(rig_open(&other) && rig_start(&other));
	strcpy(address, pci_address(EP1));
	UNIT_EQ(driver_unbind(address), 0);
	rig_close(&other);
	UNIT_NEED(driver_bind(address));
	all_answer(0);
}

/* Endpoints without a serial number may belong to one card; the driver assumes that they do. */
static void no_serial(void)
{
	char address[2][ROC_TEXT_MAX];
	struct rig r = {.id = address[1]};
	unsigned int e;
	int fd;

	emu_normal(CARD0, FOUR_LINKS);
	for (e = 0; e < 2; e++) {
		strcpy(address[e], pci_address(endpoints[e]));
		emu(CARD0, "fault %u no-serial", e);
	}
	for (e = 0; e < 2; e++) {
		UNIT_EQ(driver_unbind(address[e]), 0);
		UNIT_NEED(driver_bind(address[e]));
	}
	fd = node_open(address[0], -1);
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_RSU_CONTROL, 0), 0);
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_RSU_CONTROL, 0), -EBUSY);
	CU_ASSERT(rig_stop(&r));
	UNIT_EQ(reg_write(fd, CRU_BAR_CARD, CRU_RSU_CONTROL, 0), 0);
	rig_close(&r);
	close(fd);
	for (e = 0; e < 2; e++)
		emu(CARD0, "fault %u clear", e);
	for (e = 0; e < 2; e++) {
		UNIT_EQ(driver_unbind(address[e]), 0);
		UNIT_NEED(driver_bind(address[e]));
	}
	UNIT_EQ(node_count(EP0, -1, "serial"), 245);
}

/* Messages and exit codes of the tools; roc-config programs the PLLs as a group member. */
static void tools(void)
{
	struct rig r = {.id = EP1};

	tool_enter("/tmp/protected");
	ends(1, "as-user reader roc-reg-write --id=245:0 --channel=2 --address=0x20018 --value=1");
	OUTPUT_HAS("cannot write register 0x20018 of BAR 2");
	OUTPUT_HAS("CAP_SYS_RAWIO");
	ends(1,
	     "as-user reader roc-bar-stress --id=245:0 --channel=2 --address=0xb00004 --value=1");
	OUTPUT_HAS("use roc-reg-write");
	UNIT_NEED(rig_open(&r) && rig_start(&r));
	ends(1, "roc-reg-write --id=245:0 --channel=2 --address=0x20018 --value=1");
	OUTPUT_HAS("stop all channels of the card first");
	rig_close(&r);
	ends(0, "as-user reader roc-config --id=245:0 --links=0 --clock=TTC --force-config");
	ends(0, "as-user reader roc-config --id=245:0 --links=0-3 --clock=LOCAL --force-config");
	ends(0, "as-user reader roc-status --id=245:0");
}

static void leave(void)
{
	emu_normal(CARD0, FOUR_LINKS);
	emu_poke(CARD0, 0, CRU_BAR_CARD, STORAGE, 0);
	CU_ASSERT(emu_clean(CARD0));
}

UNIT_MAIN("protected", {"refused", refused}, {"EEPROM", eeprom}, {"PLLs", pll},
	  {"mappings", mappings}, {"running", running}, {"no serial", no_serial}, {"tools", tools},
	  {"leave", leave})
