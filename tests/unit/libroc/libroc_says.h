/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's last sentence has @text in it; both are shown when it has not.
 */
#ifndef ROC_UNIT_LIBROC_SAYS_H
#define ROC_UNIT_LIBROC_SAYS_H

#include <roc/roc.h>

#include <errno.h>
#include <sys/wait.h>

#include "unit.h"

#define SAYS(text)                                                                                 \
	do {                                                                                       \
		const char *says_error = roc_error(), *says_text = (text);                         \
		char says_msg[512];                                                                \
		snprintf(says_msg, sizeof(says_msg), "\"%.300s\" does not say \"%.150s\"",         \
			 says_error, says_text);                                                   \
		CU_assertImplementation(!!strstr(says_error, says_text), __LINE__, says_msg,       \
					__FILE__, "", CU_FALSE);                                   \
	} while (0)

/* A call ends so, and says why. */
#define FAILS(call, err, text)                                                                     \
	do {                                                                                       \
		UNIT_EQ(call, err);                                                                \
		SAYS(text);                                                                        \
	} while (0)

/* In a child: returns @number unless the call refuses, and says that the handle is the parent's. */
#define REFUSED_IN_CHILD(number, call)                                                             \
	do {                                                                                       \
		if ((call) != -EPERM || !strstr(roc_error(), "open after fork()"))                 \
			return number;                                                             \
	} while (0)

/* What @calls returns in a child of fork(); 1000 + signal if that ends it. */
__attribute__((unused)) static int unit_in_child(int (*calls)(void *), void *handle)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(calls(handle));
	UNIT_EQ(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif /* ROC_UNIT_LIBROC_SAYS_H */
