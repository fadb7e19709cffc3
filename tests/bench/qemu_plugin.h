/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few declarations of QEMU's plugin interface that the instruction counter needs. No Debian
 * package has QEMU's own header; these are facts about its stable interface, from version 2 on
 * (QEMU 9.0).
 */
#ifndef BENCH_QEMU_PLUGIN_H
#define BENCH_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 7

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_scoreboard;

/* QEMU's information about itself. More members follow, which are not needed here. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
};

/* A number per virtual processor: place of a 64-bit member in a scoreboard's entries. */
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};

typedef void (*qemu_plugin_tb_trans)(struct qemu_plugin_tb *tb, void *userdata);
typedef void (*qemu_plugin_vcpu)(uint64_t id, unsigned int vcpu);

/* Called in the thread of the processor. */
void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_plugin_vcpu cb);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_tb_trans cb, void *userdata);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
						       enum qemu_plugin_op op,
						       struct qemu_plugin_u64 entry, uint64_t imm);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
uint64_t qemu_plugin_u64_sum(struct qemu_plugin_u64 entry);

/* The plugin's version and functions. */
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
					   char **argv);

#endif /* BENCH_QEMU_PLUGIN_H */
