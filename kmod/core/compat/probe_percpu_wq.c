// SPDX-License-Identifier: GPL-2.0-only
/* system_percpu_wq, the new name of system_wq: since 6.17, and in some older stable trees. */
#include <linux/workqueue.h>

struct workqueue_struct *probe(void);
struct workqueue_struct *probe(void)
{
	return system_percpu_wq;
}
