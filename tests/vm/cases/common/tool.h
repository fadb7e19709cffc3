/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The installed tools, as people call them: what they say and how they end. A command is run by a
 * shell, as root, where the case is; its output and its errors come together.
 */
#ifndef CASE_TOOL_H
#define CASE_TOOL_H

#include <stdbool.h>

#define TOOL_LIMIT 60000 /* ms */

/* What the last command said. */
extern char out[262144];

/* Exit code, or as shell() says. Whatever JSON comes, all its keys must be of our style. */
#define RUN(...) tool_run(shell(out, sizeof(out), TOOL_LIMIT, __VA_ARGS__))
int tool_run(int code);

/* This is in what it said; all of it is shown if not. */
#define SAYS(text) CU_ASSERT(tool_says(text))
bool tool_says(const char *text);

/* In a command: wait until this channel runs, as %s; the command has a limit. */
const char *until_running(const char *id, int channel);

/* It ends with this code. */
void ends(int code, const char *command);

/* Work in a directory of this case's own, which is empty. */
void tool_enter(const char *directory);

#endif /* CASE_TOOL_H */
