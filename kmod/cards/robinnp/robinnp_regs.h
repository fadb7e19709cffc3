/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RobinNP: IDs, BARs and sub-units of this card. The fragment interface defines all registers. See
 * Documentation/hardware/fragment-interface.md, section 1.
 */
#ifndef ROBINNP_REGS_H
#define ROBINNP_REGS_H

#define ROBINNP_VENDOR 0x10dc
#define ROBINNP_DEVICE 0xe1a0 /* chosen by this project: the C-RORC's board with this firmware */

#define ROBINNP_BAR_DMA 0 /* only the driver writes here */
#define ROBINNP_BAR_CARD 2
#define ROBINNP_BAR_DMA_SIZE 0x20000
#define ROBINNP_BAR_CARD_SIZE 0x10000

#define ROBINNP_SUBS 2
#define ROBINNP_LINKS 6 /* links of each sub-unit */

/* BAR 0 */
#define ROBINNP_FUNCTION 0x0100
#define ROBINNP_SUB(s) (0x1000 + 0x100 * (s))
#define ROBINNP_MSIX_TABLE 0x8000
#define ROBINNP_MSIX_PENDING 0x9000
#define ROBINNP_DOORBELL(s) (0x10000 + 0x1000 * (s))
/* BAR 2 */
#define ROBINNP_CARD 0x0000
#define ROBINNP_COUNTS(s) (0x1000 + 0x100 * (s))
#define ROBINNP_LINK(l) (0x2000 + 0x100 * (l)) /* 0 to 5: sub-unit 0, 6 to 11: sub-unit 1 */

#define ROBINNP_MEMORY (64u << 10) /* KiB of page memory per link */
#define ROBINNP_DATA_MAX 20	   /* log2 of the entries of the largest descriptor and free ring */
#define ROBINNP_COMMAND_MAX 16	   /* log2 of the entries of the largest command ring */
#define ROBINNP_HOST_PAGES (1u << 18)	/* entries of the largest host-page table */
#define ROBINNP_VECTORS 7		/* one for the function, and three per sub-unit */
#define ROBINNP_VECTOR(s) (1 + 3 * (s)) /* vector of data; those of completions and errors follow */
#define ROBINNP_CLOCK 250000000		/* Hz */

#endif /* ROBINNP_REGS_H */
