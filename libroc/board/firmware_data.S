/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The firmware list as it was when the library was built, for where it is not installed. */
	.section .rodata
	.globl libroc_firmware_data
	.hidden libroc_firmware_data
	.type libroc_firmware_data, @object
libroc_firmware_data:
	.incbin "libroc/board/data/firmware.json"
	.byte 0
	.size libroc_firmware_data, . - libroc_firmware_data
	.section .note.GNU-stack, "", @progbits
