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

/* Assert that the output of the last command contains @text; print all of the output if not. */
#define OUTPUT_HAS(text) CU_ASSERT(tool_printed(text))
bool tool_printed(const char *text);

/* In a command: wait until this channel runs, as %s; the command has a limit. */
const char *until_running(const char *id, int channel);

/* It ends with this code, and says this. */
void ends(int code, const char *command);
void refuses(int code, const char *sentence, const char *command);
/* The same with code 0. */
void prints(const char *command, const char *sentence);
/* JSON with code 0. */
void prints_json(const char *command);
/* Of two readers of channel 0 the second one learns who the first one is. */
struct two_readers {
	const char *id;
	const char *first, *second; /* commands; what the first one prints is JSON */
	const char *stats;	    /* the command that also names the owner */
	const char *says[3];	    /* of the second one */
};
void second_reader_fails(const struct two_readers *r);

/* Work in a directory of this case's own, which is empty. */
void tool_enter(const char *directory);

#endif /* CASE_TOOL_H */
