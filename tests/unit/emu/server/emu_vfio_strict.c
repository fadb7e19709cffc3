// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refusals of the vfio-user server: messages that violate the protocol, so that an error of a
 * client is not attributed to the card.
 */
#include <sys/eventfd.h>

#include "emu_client.h"

#define PAGE 0x1000

static void begin_silent(void)
{
	begin();
	disconnect_client();
	connect_silent();
}

/* The peer must close the connection; a missing answer is not enough. */
static bool disconnected(void)
{
	struct pollfd p = {.fd = vu.fd, .events = POLLIN};
	char byte;

	return poll(&p, 1, LIMIT_MS) == 1 && recv(vu.fd, &byte, 1, 0) <= 0;
}

static int version(uint16_t major, uint16_t minor, const char *json, uint32_t bytes)
{
	uint8_t body[1024];
	struct vu_version v = {.major = major, .minor = minor};

	memcpy(body, &v, sizeof(v));
	if (bytes)
		memcpy(body + sizeof(v), json, bytes);
	return ask(VU_VERSION, body, sizeof(v) + bytes, -1);
}

/* Answer of the server to a proposal; "" if it refuses and disconnects. */
static const char *agreed(const char *json)
{
	static char text[sizeof(vu.body)];
	int rc;

	connect_silent();
	rc = version(0, 3, json, strlen(json) + 1);
	UNIT_EQ(rc, rc ? EINVAL : 0);
	text[0] = '\0';
	if (!rc) {
		UNIT_EQ(((struct vu_version *)vu.body)->major, 0);
		CU_ASSERT(((struct vu_version *)vu.body)->minor <= 3);
		UNIT_EQ(vu.body[vu.head.size - sizeof(vu.head) - 1], 0);
		strcpy(text, (char *)vu.body + sizeof(struct vu_version));
	} else {
		CU_ASSERT(disconnected());
	}
	disconnect_client();
	return text;
}

#define ALL                                                                                        \
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576,"                     \
	"\"pgsizes\":4096,\"max_dma_maps\":65535}}"

/* The proposal of QEMU 11. */
static const char qemu[] =
	"{\"capabilities\": {\"pgsizes\": 4096, \"max_msg_fds\": 16, \"max_dma_maps\": 65535, "
	"\"max_data_xfer_size\": 1048576, \"migration\": {\"max_bitmap_size\": 268435456, "
	"\"pgsize\": 4096}, \"write_multiple\": true}}";

static void proposals(void)
{
	begin();
	disconnect_client();
	UNIT_STR(agreed(qemu), ALL);
	/* An answer has only members that were proposed. */
	UNIT_STR(agreed("{\"capabilities\":{\"max_msg_fds\":1}}"),
		 "{\"capabilities\":{\"max_msg_fds\":8}}");
	UNIT_STR(agreed("{\"capabilities\":{}}"), "{\"capabilities\":{}}");
	UNIT_STR(agreed("{}"), "{\"capabilities\":{}}");
	UNIT_STR(
		agreed(" { \"later\" : [ 1, null ] , \"capabilities\" : { \"new\" : \"\xc3\xa9\" } } "),
		"{\"capabilities\":{}}");
	UNIT_STR(agreed("{\"capabilities\":{\"twin_socket\":{\"supported\":true}}}"),
		 "{\"capabilities\":{}}");
	UNIT_STR(agreed("{\"capabilities\":{\"pgsizes\":18446744073709547520}}"),
		 "{\"capabilities\":{\"pgsizes\":4096}}");
	connect_client();
	end();
}

static void bad_proposals(void)
{
	static const char *const bad[] = {
		"",
		" ",
		"capabilities",
		"{",
		"{}}",
		"{} {}",
		"{},",
		"[]",
		"null",
		"7",
		"\"capabilities\"",
		"{'capabilities':{}}",
		"{\"capabilities\"}",
		"{\"capabilities\":{},}",
		"{\"capabilities\":[]}",
		"{\"capabilities\":null}",
		"{\"capabilities\":{\"max_msg_fds\":\"8\"}}",
		"{\"capabilities\":{\"max_msg_fds\":-1}}",
		"{\"capabilities\":{\"max_msg_fds\":1.5}}",
		"{\"capabilities\":{\"max_msg_fds\":null}}",
		"{\"capabilities\":{\"max_data_xfer_size\":0}}",
		"{\"capabilities\":{\"max_data_xfer_size\":[1]}}",
		"{\"capabilities\":{\"max_dma_maps\":true}}",
		"{\"capabilities\":{\"pgsizes\":0}}",
		"{\"capabilities\":{\"pgsizes\":2048}}",
		"{\"capabilities\":{\"pgsizes\":\"4k\"}}",
		"{\"capabilities\":{\"write_multiple\":1}}",
		"{\"capabilities\":{\"twin_socket\":true}}",
		"{\"capabilities\":{\"twin_socket\":{\"supported\":\"yes\"}}}",
		"{\"capabilities\":{\"migration\":{\"pgsize\":-4096}}}",
		"{\"capabilities\":{\"migration\":4096}}",
		"{\"capabilities\":{\"name\":NaN}}",
		"{\"capabilities\":{\"name\":nan}}",
		"{\"capabilities\":{\"name\":-Infinity}}",
		"{\"capabilities\":{\"name\":True}}",
		"{\"capabilities\":{\"max_msg_fds\":08}}",
		"{\"capabilities\":{\"max_msg_fds\":0x8}}",
		"{\"capabilities\":{\"max_msg_fds\":+8}}",
		"{\"capabilities\":{\"max_msg_fds\":8.}}",
		"{\"capabilities\":{} /* none */}",
		"{\"capabilities\":{\"name\":\"\xff\"}}",
		"{\"capabilities\":{\"name\":\"\xc0\x80\"}}",
		"{\"capabilities\":{\"name\":\"\\x\"}}",
		"{\"capabilities\":{\"name\":\"\x01\"}}",
	};
	unsigned int i;

	begin();
	disconnect_client();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (agreed(bad[i])[0]) {
			unit_note("taken: %s", bad[i]);
			CU_FAIL("a bad proposal was accepted");
		}
	}
	connect_client();
	end();
}

/* Errors before the text: another version, no end, a text that ends early. */
static void bad_versions(void)
{
	static const struct {
		uint16_t major, minor;
		const char *json;
		uint32_t bytes;
	} bad[] = {
		{1, 0, "{}", 3},
		{0xffff, 0xffff, "{}", 3},
		{0, 0, "{}", 2},
		{0, 0, "{}\0", 4},
	};
	unsigned int i;

	begin_silent();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		UNIT_EQ(version(bad[i].major, bad[i].minor, bad[i].json, bad[i].bytes), EINVAL);
		CU_ASSERT(disconnected());
		disconnect_client();
		connect_silent();
	}
	UNIT_EQ(ask(VU_VERSION, "", 1, -1), EINVAL);
	CU_ASSERT(disconnected());
	disconnect_client();
	/* A second version message is refused. */
	connect_client();
	UNIT_EQ(version(0, 0, NULL, 0), EINVAL);
	CU_ASSERT(disconnected());
	end();
}

static void nothing_before_the_version(void)
{
	struct vu_device_info info = {.argsz = sizeof(info)};
	struct vu_region_access a = {.region = VFIO_PCI_CONFIG_REGION_INDEX, .count = 4};
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.count = 1,
	};
	UNIT_WITH_BYTES(struct vu_region_access, a, 2)
	write = {.a = {.region = VFIO_PCI_CONFIG_REGION_INDEX, .offset = PCI_COMMAND, .count = 2}};
	uint64_t resets;

	write.a.data[0] = PCI_COMMAND_MEMORY;
	write.a.data[1] = 0;
	begin_silent();
	resets = counted("function_resets"); /* one for the client before */
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), EINVAL);
	UNIT_EQ(unmap_region(0, 0, VFIO_DMA_UNMAP_FLAG_ALL), EINVAL);
	UNIT_EQ(ask(VU_DEVICE_GET_INFO, &info, sizeof(info), -1), EINVAL);
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), vu.memory_fd), EINVAL);
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	UNIT_EQ(ask(VU_REGION_WRITE, &write, sizeof(write.a) + 2, -1), EINVAL);
	send_request(VU_REGION_WRITE, VU_NO_REPLY, &write, sizeof(write.a) + 2, -1);
	UNIT_EQ(ask(VU_DEVICE_RESET, NULL, 0, -1), EINVAL);
	UNIT_EQ(ask(99, NULL, 0, -1), EINVAL);
	UNIT_EQ(version(0, 0, NULL, 0), 0);
	UNIT_EQ(config(PCI_COMMAND, 2), 0);
	UNIT_EQ(counted("mappings"), 0);
	UNIT_EQ(counted("function_resets"), resets);
	UNIT_EQ(irq_fd(0, 0), -1);
	end();
}

/*
 * Only commands are carried out. A reply is not even answered, because two peers could answer each
 * other forever.
 */
static void only_commands(void)
{
	struct vu_dma_map map = {
		.argsz = sizeof(map), .flags = RW, .address = BASE, .size = MEMORY};
	uint32_t flags, bit;

	begin();
	for (flags = 2; flags <= VU_TYPE; flags++) {
		send_request(VU_DMA_MAP, flags, &map, sizeof(map), vu.memory_fd);
		take(&vu.head, sizeof(vu.head));
		UNIT_EQ(vu.head.flags, VU_REPLY | VU_ERROR);
		UNIT_EQ(vu.head.error, EINVAL);
	}
	for (bit = VU_ERROR; bit; bit <<= 1) {
		send_request(VU_DMA_MAP, bit, &map, sizeof(map), vu.memory_fd);
		take(&vu.head, sizeof(vu.head));
		UNIT_EQ(vu.head.flags, VU_REPLY | VU_ERROR);
		UNIT_EQ(vu.head.error, EINVAL);
	}
	send_request(VU_DMA_MAP, VU_REPLY, &map, sizeof(map), vu.memory_fd);
	send_request(VU_DMA_MAP, VU_REPLY | VU_ERROR, &map, sizeof(map), vu.memory_fd);
	send_request(VU_DEVICE_RESET, VU_REPLY, NULL, 0, -1);
	UNIT_EQ(config(PCI_VENDOR_ID, 2), 0x10dc);
	UNIT_EQ(counted("mappings"), 0);
	UNIT_EQ(counted("function_resets"), 0);
	UNIT_EQ(map_region(BASE, MEMORY, 0, vu.memory_fd, RW), 0);
	end();
}

static void maps(void)
{
	struct vu_dma_map map = {.argsz = sizeof(map), .flags = RW, .address = BASE, .size = PAGE};
	uint8_t longer[sizeof(map) + 8] = {0};

	begin();
	UNIT_EQ(map_region(BASE, PAGE, 0, vu.memory_fd, 0), EINVAL);
	UNIT_EQ(map_region(BASE, PAGE, 0, vu.memory_fd, RW | 0x10), EINVAL);
	UNIT_EQ(map_region(BASE, PAGE, 0, vu.memory_fd, RW | 1u << 31), EINVAL);
	UNIT_EQ(map_region(BASE, PAGE, 0, vu.memory_fd, RW | VU_MAP_FILE_IO), EOPNOTSUPP);
	UNIT_EQ(map_region(BASE, PAGE, 0, -1, RW | VU_MAP_MMAP), EINVAL);
	UNIT_EQ(map_region(BASE, 0, 0, vu.memory_fd, RW), EINVAL);
	UNIT_EQ(map_region(BASE, PAGE / 2, 0, vu.memory_fd, RW), EINVAL);
	UNIT_EQ(map_region(BASE + 1, PAGE, 0, vu.memory_fd, RW), EINVAL);
	UNIT_EQ(map_region(BASE, PAGE, 16, vu.memory_fd, RW), EINVAL);
	UNIT_EQ(map_region(BASE, PAGE, MEMORY, vu.memory_fd, RW), EINVAL);
	UNIT_EQ(map_region(0ull - PAGE, PAGE, 0, vu.memory_fd, RW), EINVAL);
	map.argsz = sizeof(map) - 1;
	UNIT_EQ(ask(VU_DMA_MAP, &map, sizeof(map), vu.memory_fd), EINVAL);
	map.argsz = sizeof(map);
	UNIT_EQ(ask(VU_DMA_MAP, &map, sizeof(map) - 1, vu.memory_fd), EINVAL);
	memcpy(longer, &map, sizeof(map));
	UNIT_EQ(ask(VU_DMA_MAP, longer, sizeof(longer), vu.memory_fd), EINVAL);
	UNIT_EQ(counted("mappings"), 0);

	UNIT_EQ(map_region(BASE, 4 * PAGE, 0, vu.memory_fd, RW | VU_MAP_MMAP), 0);
	UNIT_EQ(map_region(BASE, 4 * PAGE, 0, vu.memory_fd, RW), EEXIST);
	UNIT_EQ(map_region(BASE + PAGE, PAGE, 0, -1, RW), EEXIST);
	UNIT_EQ(map_region(BASE - PAGE, 2 * PAGE, 0, vu.memory_fd, RW), EEXIST);
	UNIT_EQ(counted("mappings"), 1);
	end();
}

static void unmaps(void)
{
	struct vu_dma_unmap unmap = {.argsz = sizeof(unmap), .address = BASE, .size = 4 * PAGE};

	begin();
	UNIT_EQ(map_region(BASE, 4 * PAGE, 0, vu.memory_fd, RW), 0);
	UNIT_EQ(unmap_region(BASE, 4 * PAGE, VFIO_DMA_UNMAP_FLAG_GET_DIRTY_BITMAP), EOPNOTSUPP);
	UNIT_EQ(unmap_region(BASE, 4 * PAGE, 1u << 31), EINVAL);
	UNIT_EQ(unmap_region(BASE, 4 * PAGE, VFIO_DMA_UNMAP_FLAG_ALL), EINVAL);
	UNIT_EQ(unmap_region(BASE, 0, 0), EINVAL);
	UNIT_EQ(unmap_region(BASE + PAGE, PAGE, 0), EINVAL);
	UNIT_EQ(unmap_region(BASE - PAGE, 5 * PAGE, 0), EINVAL);
	UNIT_EQ(unmap_region(BASE - PAGE, PAGE, 0), ENOENT);
	UNIT_EQ(unmap_region(BASE + 2 * PAGE, 1 << 20, 0), EINVAL);
	unmap.argsz--;
	UNIT_EQ(ask(VU_DMA_UNMAP, &unmap, sizeof(unmap), -1), EINVAL);
	unmap.argsz++;
	UNIT_EQ(ask(VU_DMA_UNMAP, &unmap, sizeof(unmap) - 1, -1), EINVAL);
	UNIT_EQ(counted("mappings"), 1);
	UNIT_EQ(ask(VU_DMA_UNMAP, &unmap, sizeof(unmap), -1), 0);
	UNIT_EQ(counted("mappings"), 0);
	/* Sweeps of an address space that may be empty, up to its end, as QEMU does. */
	UNIT_EQ(unmap_region(0, 0xfee00000, 0), 0);
	UNIT_EQ(unmap_region(0xfef00000, 0xffffffff01100000, 0), 0);
	end();
}

static void questions(void)
{
	struct vu_device_info info = {.argsz = sizeof(info)};
	struct vfio_region_info region = {.argsz = sizeof(region)};
	struct vfio_irq_info irq = {.argsz = sizeof(irq)};

	begin();
	info.flags = 1;
	UNIT_EQ(ask(VU_DEVICE_GET_INFO, &info, sizeof(info), -1), EINVAL);
	info.flags = 0;
	info.argsz--;
	UNIT_EQ(ask(VU_DEVICE_GET_INFO, &info, sizeof(info), -1), EINVAL);
	UNIT_EQ(ask(VU_DEVICE_GET_INFO, NULL, 0, -1), EINVAL);
	region.size = 1;
	UNIT_EQ(ask(VU_GET_REGION_INFO, &region, sizeof(region), -1), EINVAL);
	region.size = 0;
	region.argsz = 16;
	UNIT_EQ(ask(VU_GET_REGION_INFO, &region, sizeof(region), -1), EINVAL);
	region.argsz = 4096; /* larger than the answer */
	UNIT_EQ(ask(VU_GET_REGION_INFO, &region, sizeof(region), -1), 0);
	irq.count = 1;
	UNIT_EQ(ask(VU_GET_IRQ_INFO, &irq, sizeof(irq), -1), EINVAL);
	irq.count = 0;
	irq.index = VU_IRQS;
	UNIT_EQ(ask(VU_GET_IRQ_INFO, &irq, sizeof(irq), -1), EINVAL);
	UNIT_EQ(ask(VU_DEVICE_RESET, &irq, 4, -1), EINVAL);
	UNIT_EQ(counted("function_resets"), 0);
	end();
}

static void accesses(void)
{
	static const char little[] = "{\"capabilities\":{\"max_data_xfer_size\":64}}";
	struct vu_region_access a = {.region = VFIO_PCI_CONFIG_REGION_INDEX, .count = 64};
	UNIT_WITH_BYTES(struct vu_region_access, a, 8)
	write = {.a = {.offset = CRU_SCRATCH, .count = 4}};
	const uint32_t value[2] = {0x42, 0x43};

	memcpy(write.a.data, value, sizeof(value));
	begin_silent();
	UNIT_EQ(version(0, 0, little, sizeof(little)), 0);
	/* As many bytes as the client accepts. */
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), 0);
	a.count = 68;
	UNIT_EQ(ask(VU_REGION_READ, &a, sizeof(a), -1), EINVAL);
	/* A count above the request, and more data than the message has. */
	a.count = 4;
	UNIT_EQ(ask(VU_REGION_READ, &write, sizeof(write), -1), EINVAL);
	config_set(PCI_COMMAND, PCI_COMMAND_MEMORY, 2);
	UNIT_EQ(ask(VU_REGION_WRITE, &write, sizeof(write), -1), EINVAL);
	UNIT_EQ(bar_read(0, CRU_SCRATCH), 0);
	UNIT_EQ(ask(VU_REGION_WRITE, &write, sizeof(write.a) + 4, -1), 0);
	UNIT_EQ(bar_read(0, CRU_SCRATCH), 0x42);
	end();
}

static int irqs(uint32_t flags, uint32_t start, uint32_t count, uint32_t data_bytes, int fd)
{
	UNIT_WITH_BYTES(struct vfio_irq_set, set, 8)
	m = {.set = {.argsz = sizeof(m.set) + data_bytes,
		     .flags = flags,
		     .start = start,
		     .count = count}};

	memset(m.set.data, 0, 8);
	return ask(VU_SET_IRQS, &m, sizeof(m.set) + data_bytes, fd);
}

static void interrupts(void)
{
	const uint32_t none = VFIO_IRQ_SET_DATA_NONE, flag = VFIO_IRQ_SET_DATA_BOOL,
		       event = VFIO_IRQ_SET_DATA_EVENTFD, go = VFIO_IRQ_SET_ACTION_TRIGGER,
		       mask = VFIO_IRQ_SET_ACTION_MASK, unmask = VFIO_IRQ_SET_ACTION_UNMASK;
	struct vfio_irq_set set = {.argsz = sizeof(set) - 1, .flags = none | go, .count = 1};
	int fd = eventfd(0, EFD_NONBLOCK);

	begin();
	UNIT_EQ(irqs(event | go, 0, 1, 0, fd), 0);
	/* Two types of data or action, none, or an undefined one. */
	UNIT_EQ(irqs(none | flag | go, 0, 1, 1, -1), EINVAL);
	UNIT_EQ(irqs(none | event | go, 0, 1, 0, fd), EINVAL);
	UNIT_EQ(irqs(none | mask | unmask, 0, 1, 0, -1), EINVAL);
	UNIT_EQ(irqs(none, 0, 1, 0, -1), EINVAL);
	UNIT_EQ(irqs(go, 0, 1, 0, -1), EINVAL);
	UNIT_EQ(irqs(none | go | 1u << 6, 0, 1, 0, -1), EINVAL);
	/* Data and descriptors that do not match the flags. */
	UNIT_EQ(irqs(none | go, 0, 1, 1, -1), EINVAL);
	UNIT_EQ(irqs(none | go, 0, 1, 0, fd), EINVAL);
	UNIT_EQ(irqs(flag | go, 0, 1, 0, -1), EINVAL);
	UNIT_EQ(irqs(flag | go, 0, 1, 2, -1), EINVAL);
	UNIT_EQ(irqs(flag | go, 0, 1, 1, fd), EINVAL);
	UNIT_EQ(irqs(event | go, 0, 1, 4, fd), EINVAL);
	/* A count of 0 switches all off and is valid only for that. */
	UNIT_EQ(irqs(event | go, 0, 0, 0, -1), EINVAL);
	UNIT_EQ(irqs(none | mask, 0, 0, 0, -1), EINVAL);
	UNIT_EQ(irqs(none | go, 1, 0, 0, -1), EINVAL);
	UNIT_EQ(ask(VU_SET_IRQS, &set, sizeof(set), -1), EINVAL);
	CU_ASSERT(irq_fd(0, 0) >= 0);
	UNIT_EQ(irqs(none | mask, 0, 1, 0, -1), 0);
	UNIT_EQ(irqs(none | unmask, 0, 1, 0, -1), 0);
	UNIT_EQ(irqs(none | go, 0, 0, 0, -1), 0);
	UNIT_EQ(irq_fd(0, 0), -1);
	end();
	close(fd);
}

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{"version proposals", proposals},
		{"bad version proposals", bad_proposals},
		{"bad versions", bad_versions},
		{"nothing before the version", nothing_before_the_version},
		{"only commands are run", only_commands},
		{"maps", maps},
		{"unmaps", unmaps},
		{"questions", questions},
		{"accesses", accesses},
		{"interrupts", interrupts},
	};

	freopen("/dev/null", "w", stderr); /* its log lines are expected here */
	return unit_run("vfio-user, strict", tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
