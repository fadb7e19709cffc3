/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PCIe40: IDs, BARs and streams of this card. The stream interface defines all registers. See
 * Documentation/hardware/stream-interface.md, section 2.
 */
#ifndef P40_REGS_H
#define P40_REGS_H

#define P40_VENDOR 0x10dc
#define P40_DEVICE 0xe040 /* chosen by this project */

#define P40_BAR_DMA 0 /* only the driver writes here */
#define P40_BAR_CARD 2
#define P40_BAR_DMA_SIZE 0x20000
#define P40_BAR_CARD_SIZE 0x10000

#define P40_STREAMS 7 /* main, meta, odin0 to odin4 */
#define P40_STREAM_MAIN 0
#define P40_STREAM_META 1
#define P40_STREAM_ODIN 2 /* first of P40_ODINS streams */
#define P40_ODINS 5

/* BAR 0 */
#define P40_FUNCTION 0x0100
#define P40_STREAM(s) (0x1000 + 0x80 * (s))
#define P40_MSIX_TABLE 0x8000
#define P40_MSIX_PENDING 0x9000
#define P40_DOORBELL(s) (0x10000 + 0x1000 * (s))
/* BAR 2 */
#define P40_CARD 0x0000
#define P40_SETTINGS(s) (0x1000 + 0x200 * (s))

#define P40_RING_MAX 34		  /* log2 of the bytes of the largest ring */
#define P40_SEGMENTS 16384	  /* entries of the largest segment table */
#define P40_VECTORS 8		  /* one for the function, and one per stream */
#define P40_CLOCK 250000000	  /* Hz */
#define P40_SPILL_MAIN (2u << 20) /* bytes */
#define P40_SPILL_ODIN (64u << 10)

#endif /* P40_REGS_H */
