/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capability, registers, ring entries and bits of the fragment interface, shared by the driver, the
 * emulated card and the tests. Documentation/hardware/fragment-interface.md describes them.
 * fragment_data.h describes generated fragments.
 *
 * Offsets are in bytes. Registers have 32 bits. All data in host memory are little endian.
 */
#ifndef FRAGMENT_REGS_H
#define FRAGMENT_REGS_H

#include <linux/types.h>

#include "../core/contract_regs.h"

/* PCIe vendor-specific extended capability, id 0x000b; offsets from its start */
#define FRAGMENT_VSEC_ID 0x0e73
#define FRAGMENT_VSEC_REVISION 1
#define FRAGMENT_VSEC_LENGTH 0x40
#define FRAGMENT_VSEC_SIGNATURE_VALUE 0x46434f52u /* "ROCF" */
#define FRAGMENT_VSEC_LIMITS 0x0c
#define FRAGMENT_VSEC_SUBS 0x0000000fu
#define FRAGMENT_VSEC_LINKS 0x000000f0u	      /* links of each sub-unit */
#define FRAGMENT_VSEC_DATA_MAX 0x0000ff00u    /* log2 of the entries of the largest */
#define FRAGMENT_VSEC_COMMAND_MAX 0x00ff0000u /* descriptor, free, command ring */
#define FRAGMENT_VSEC_VECTORS 0xff000000u /* number of vectors; their numbers are 0 to this - 1 */
#define FRAGMENT_VSEC_MEMORY 0x10	  /* KiB of page memory per link */
#define FRAGMENT_VSEC_HOST_PAGES 0x14	  /* entries of the largest host-page table */
#define FRAGMENT_VSEC_SUB 0x18		  /* block of sub-unit 0 */
#define FRAGMENT_VSEC_STRIDE 0x1c	  /* from one sub-unit's block to the next */
#define FRAGMENT_VSEC_DOORBELL 0x20	  /* doorbell page of sub-unit 0 */
#define FRAGMENT_VSEC_DOORBELL_STRIDE 0x24
#define FRAGMENT_VSEC_FUNCTION 0x28 /* block of the function */
#define FRAGMENT_VSEC_CARD 0x2c	    /* block of the card; open */
#define FRAGMENT_VSEC_COUNTS 0x30   /* counters of sub-unit 0; open */
#define FRAGMENT_VSEC_COUNTS_STRIDE 0x34
#define FRAGMENT_VSEC_LINK 0x38 /* block of link 0 of sub-unit 0; open */
#define FRAGMENT_VSEC_LINK_STRIDE 0x3c

#define FRAGMENT_SUBS_MAX 8
#define FRAGMENT_LINKS_MAX 15
#define FRAGMENT_ALIGN 4096  /* alignment of rings and host-page table */
#define FRAGMENT_RING_MIN 4  /* log2 of the entries of the smallest ring */
#define FRAGMENT_RING_MAX 28 /* log2 of the entries of the largest ring of any card */
#define FRAGMENT_PAGE_MIN 10 /* log2 of the bytes of a card page */
#define FRAGMENT_PAGE_MAX 16
#define FRAGMENT_PAGE_DEFAULT 11
#define FRAGMENT_HOST_PAGES_MAX (1u << 20) /* entries of a host-page table, on any card */
#define FRAGMENT_HOST_PAGE_MIN 11	   /* log2 of the bytes of a host page */
#define FRAGMENT_HOST_PAGE_MAX 16

/* Block of a sub-unit, in addition to contract_regs.h */
#define FRAGMENT_SIZE 0x100
#define FRAGMENT_ID_SUB 0xf7a0u
#define FRAGMENT_ID_FUNCTION 0xf7afu
#define FRAGMENT_ID_COUNTS 0xf7acu
#define FRAGMENT_ID_LINK 0xf7a1u
#define FRAGMENT_LINKS 0x04 /* bit per link: the sub-unit accepts its fragments */
#define FRAGMENT_STATUS_DATA_ARMED (1u << 3)
#define FRAGMENT_STATUS_DONE_ARMED (1u << 4)
#define FRAGMENT_STATUS_HELD (1u << 5)
#define FRAGMENT_STATUS_ERRORS 0x700u
#define FRAGMENT_RESET_ALL 0xdu
#define FRAGMENT_DATA_LOW 0x18 /* bus addresses; write only: of the descriptor ring, */
#define FRAGMENT_DATA_HIGH 0x1c
#define FRAGMENT_FREE_LOW 0x20 /* of the free-page ring, */
#define FRAGMENT_FREE_HIGH 0x24
#define FRAGMENT_COMMAND_LOW 0x28 /* of the command ring, */
#define FRAGMENT_COMMAND_HIGH 0x2c
#define FRAGMENT_DONE_LOW 0x30 /* of the completion ring, */
#define FRAGMENT_DONE_HIGH 0x34
#define FRAGMENT_TABLE_LOW 0x38 /* and of the host-page table */
#define FRAGMENT_TABLE_HIGH 0x3c
#define FRAGMENT_DATA_SIZE 0x40 /* log2 of their entries */
#define FRAGMENT_FREE_SIZE 0x44
#define FRAGMENT_COMMAND_SIZE 0x48   /* of the completion ring, too */
#define FRAGMENT_HOST_PAGES 0x4c     /* entries of the table; 0: there is none */
#define FRAGMENT_HOST_PAGE_SIZE 0x50 /* log2 of a host page's bytes */
#define FRAGMENT_PAGE_SIZE 0x54	     /* log2 of a card page's bytes */
#define FRAGMENT_PAGES 0x58	     /* card pages in use, of each link */
#define FRAGMENT_START 0x5c	     /* initial value of all counts of the next run */
#define FRAGMENT_ARM_DATA 0x60	     /* count that the host has seen; the write arms */
#define FRAGMENT_ARM_DONE 0x64
#define FRAGMENT_DATA_COUNT 0x68 /* moderation */
#define FRAGMENT_DATA_NS 0x6c
#define FRAGMENT_DONE_COUNT 0x70
#define FRAGMENT_DONE_NS 0x74
#define FRAGMENT_DATA_VECTOR 0x78
#define FRAGMENT_DONE_VECTOR 0x7c
#define FRAGMENT_ERROR_VECTOR 0x80
#define FRAGMENT_ERROR_ENABLE 0x84 /* bits of STATUS that raise the ERROR interrupt when set */
#define FRAGMENT_ERROR_ENABLE_ALL (FRAGMENT_STATUS_ERRORS | FRAGMENT_STATUS_HELD)
#define FRAGMENT_HELD 0x88	  /* bit per link that is HELD */
#define FRAGMENT_DESCRIPTORS 0x8c /* for diagnosis: counts of entries written by the card, */
#define FRAGMENT_COMPLETIONS 0x90
#define FRAGMENT_FREED 0x94 /* and of entries consumed by it */
#define FRAGMENT_COMMANDS 0x98

/* Doorbell page of a sub-unit: only these two registers */
#define FRAGMENT_DOORBELL_SIZE 0x1000
#define FRAGMENT_FREE 0x00    /* count of entries in the free-page ring */
#define FRAGMENT_COMMAND 0x04 /* and in the command ring */

/* A word names a card page. */
#define FRAGMENT_PAGE_LINK(w) ((w) >> 28) /* in the sub-unit */
#define FRAGMENT_PAGE_NUMBER(w) ((w)&0x0fffffffu)
#define FRAGMENT_PAGE(link, number) ((__u32)(link) << 28 | (__u32)(number))

/* An entry of the free-page ring is such a word. The other rings have these entries: */
struct fragment_descriptor {
	__le32 event;  /* id */
	__le32 page;   /* word */
	__le32 size;   /* bytes of the fragment in the page */
	__le32 status; /* FRAGMENT_PHASE, FRAGMENT_IS_* */
};

#define FRAGMENT_PHASE (1u << 31)
#define FRAGMENT_IS_TRUNCATED (1u << 0) /* the fragment was longer than a page */
#define FRAGMENT_IS_LINK_ERROR (1u << 1)
#define FRAGMENT_IS_FORMAT (1u << 2) /* no valid header: the event id is an estimate of the card */
#define FRAGMENT_IS_SEQUENCE (1u << 3) /* the event id does not follow the previous one */

struct fragment_command {
	__le32 page;	  /* word */
	__le32 host_page; /* index into the table */
	__le32 tag;	  /* chosen by the host */
	__le32 op;	  /* FRAGMENT_OP_* */
};

#define FRAGMENT_OP_TRANSFER (1u << 0)
#define FRAGMENT_OP_RELEASE (1u << 1)

struct fragment_completion {
	__le32 tag;
	__le32 size;   /* bytes written to the host page */
	__le32 event;  /* id of the fragment in the page; 0: there is none */
	__le32 status; /* FRAGMENT_PHASE, FRAGMENT_DONE_* */
};

#define FRAGMENT_DONE_STATUS(w) ((w)&0xffffu)
#define FRAGMENT_DONE_OK 0
#define FRAGMENT_DONE_BAD_PAGE 1 /* out of range, not with the host, or TRANSFER of an empty page */
#define FRAGMENT_DONE_BAD_HOST_PAGE 2 /* out of range */
#define FRAGMENT_DONE_BAD_OP 3	      /* unknown bits, or none */
#define FRAGMENT_DONE_ABORTED 4	      /* the card could not read its page memory */

/*
 * Phase of entry number @count of a ring with 1 << @log2 entries, whose counts began at @start: set
 * in the first lap, clear in the second one, and so on. The entry is in slot fragment_slot().
 */
static inline __u32 fragment_phase(__u32 count, __u32 start, __u32 log2)
{
	return (count - start) >> log2 & 1 ? 0 : FRAGMENT_PHASE;
}

static inline __u32 fragment_slot(__u32 count, __u32 log2)
{
	return count & ((1u << log2) - 1);
}

/* Block of the function, in addition to contract_regs.h */
#define FRAGMENT_CAUSE_PAGES_OUT (1u << 11) /* a sub-unit: HELD */
#define FRAGMENT_CAUSE_ALL 0xd03u

/* Block of the card: contract_regs.h; CARD_UNITS: [7:0] sub-units, [15:8] links of each */
#define FRAGMENT_CARD_ID_VALUE 0x43504e52u /* "RNPC" */
#define FRAGMENT_CARD_SOURCE_DEFAULT 0x0a70

/* Counters of a sub-unit, 64 bits each: low word, high word */
#define FRAGMENT_COUNTS_SIZE 0x100
#define FRAGMENT_COUNTS_ID 0x00 /* [31:16] FRAGMENT_ID_COUNTS, [15:8] revision, [7:0] number */
#define FRAGMENT_COUNTS_COUNTERS 0x08
#define FRAGMENT_COUNT_COMMANDS 0 /* submitted by COMMAND, total */
#define FRAGMENT_COUNT_OK 1	  /* completed, by status */
#define FRAGMENT_COUNT_BAD_PAGE 2
#define FRAGMENT_COUNT_BAD_HOST_PAGE 3
#define FRAGMENT_COUNT_BAD_OP 4
#define FRAGMENT_COUNT_ABORTED 5
#define FRAGMENT_COUNT_COMMANDS_DISCARDED 6 /* discarded by disable and reset */
#define FRAGMENT_COUNT_COMMANDS_WAITING 7   /* not yet in any other counter */
#define FRAGMENT_COUNT_TRANSFERS 8	    /* of OK: with TRANSFER, and with RELEASE */
#define FRAGMENT_COUNT_RELEASES 9
#define FRAGMENT_COUNT_BYTES 10		  /* bytes transferred */
#define FRAGMENT_COUNT_FREES 11		  /* submitted by FREE, total */
#define FRAGMENT_COUNT_FREED 12		  /* of those: returned to a link */
#define FRAGMENT_COUNT_BAD_FREE 13	  /* of those: refused */
#define FRAGMENT_COUNT_FREES_DISCARDED 14 /* discarded by disable and reset */
#define FRAGMENT_COUNT_FREES_WAITING 15
#define FRAGMENT_COUNT_DATA_INTERRUPTS 16 /* interrupts sent, by purpose */
#define FRAGMENT_COUNT_DONE_INTERRUPTS 17
#define FRAGMENT_COUNT_ERROR_INTERRUPTS 18
#define FRAGMENT_COUNTS 19

/* Block of a link */
#define FRAGMENT_LINK_SIZE 0x100
#define FRAGMENT_LINK_ID                                                                           \
	0x00 /* [31:16] FRAGMENT_ID_LINK, [15:8] revision, [7:0] link of the card */
#define FRAGMENT_LINK_GENERATOR 0x04
#define FRAGMENT_GENERATOR_RUN (1u << 0)
#define FRAGMENT_GENERATOR_DISTRIBUTED (1u << 1)
#define FRAGMENT_GENERATOR_ALL 0x3u
#define FRAGMENT_LINK_SIZE_MIN 0x08 /* bytes of a fragment; of every fragment without DISTRIBUTED */
#define FRAGMENT_LINK_SIZE_MAX 0x0c
#define FRAGMENT_LINK_RATE 0x10	     /* fragments per second; 0: as fast as there are pages */
#define FRAGMENT_LINK_FIRST 0x14     /* event id of the first fragment */
#define FRAGMENT_LINK_LIMIT 0x18     /* fragments until the generator stops; 0: no limit; 64 bits */
#define FRAGMENT_LINK_GENERATED 0x20 /* fragments generated towards LIMIT; 64 bits */
#define FRAGMENT_LINK_STATUS 0x28
#define FRAGMENT_LINK_STATUS_HELD (1u << 0)   /* a fragment waits for a page */
#define FRAGMENT_LINK_STATUS_MASKED (1u << 1) /* by FRAGMENT_LINKS, or its sub-unit is disabled */
/* Pages in use, and where they are; all 0 while the sub-unit is disabled */
#define FRAGMENT_LINK_PAGES 0x30
#define FRAGMENT_LINK_PAGES_HOST 0x34	/* with the host */
#define FRAGMENT_LINK_PAGES_FREE 0x38	/* in the card, empty */
#define FRAGMENT_LINK_PAGES_FILLED 0x3c /* in the card, with a fragment without descriptor yet */
#define FRAGMENT_LINK_COUNTERS 0x80	/* 64 bits each */
#define FRAGMENT_LINK_OFFERED 0		/* fragments offered by the source */
#define FRAGMENT_LINK_FRAGMENTS 1	/* of those: reported in a descriptor */
#define FRAGMENT_LINK_BYTES 2		/* bytes of the reported fragments */
#define FRAGMENT_LINK_DISCARDED 3	/* discarded by disable and reset */
#define FRAGMENT_LINK_WAITING 4		/* in the card: not yet in any other counter */
#define FRAGMENT_LINK_TRUNCATED 5	/* reported with these status bits */
#define FRAGMENT_LINK_LINK_ERRORS 6
#define FRAGMENT_LINK_FORMAT_ERRORS 7
#define FRAGMENT_LINK_SEQUENCE_ERRORS 8
#define FRAGMENT_LINK_CUT 9	     /* bytes removed by truncation */
#define FRAGMENT_LINK_HOLDS 10	     /* times that a fragment found no page */
#define FRAGMENT_LINK_HOLD_CYCLES 11 /* total duration of HELD */
#define FRAGMENT_LINK_HOLD_EVENT 12  /* id of the last fragment that was HELD */
#define FRAGMENT_LINK_COUNTS 13

#define FRAGMENT_BYTES_MIN 16	   /* bytes of the smallest generated fragment */
#define FRAGMENT_BYTES_MAX 131072u /* above the largest page, to show truncation */
#define FRAGMENT_BYTES_DEFAULT 1024
#define FRAGMENT_RATE_MAX 1000000u

/* Time limits of the card, ms and ns */
#define FRAGMENT_LOAD_MS 100	     /* from enabling to the end of LOADING */
#define FRAGMENT_DESCRIPTOR_NS 20000 /* from a full page to its descriptor */
#define FRAGMENT_HELD_MS 10	     /* shortest interval of interrupts for HELD */

#endif /* FRAGMENT_REGS_H */
