// SPDX-License-Identifier: GPL-2.0-only
/* vm_flags_set(): since 6.3, and in some older stable trees. */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_IO);
	vm_flags_clear(vma, VM_MAYWRITE);
}
