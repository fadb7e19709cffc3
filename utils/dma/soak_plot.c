// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plot rate and temperature over time as SVG: two frames with lines.
 */
#include "soak.h"

#include <math.h>

#include "utils/common/output.h"
#include "utils/common/tool.h"

#define WIDTH 960
#define LEFT 70
#define RIGHT 190 /* space for the names of the lines */
#define FRAME 220
#define TOP 50
#define BETWEEN 60
#define NAMES 30	    /* names that fit beside a frame */
#define CRITICAL_CELSIUS 80 /* the card cuts its power at this temperature */

static const char *const colours[] = {
	"#1b6ca8", "#d1495b", "#3d8b37", "#edae49", "#6a4c93", "#00798c", "#8d5524", "#555555",
};

#define COLOUR(lane) colours[(lane) % (sizeof(colours) / sizeof(colours[0]))]

struct frame {
	FILE *out;
	double top;	  /* of the frame in the picture */
	double low, high; /* values at the bottom and the top */
	double seconds;	  /* at the right side */
};

static double x(const struct frame *f, double at)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (f->seconds > 0 ? at / f->seconds : 0);
}

static double y(const struct frame *f, double value)
{
	return f->top + FRAME * (1 - (value - f->low) / (f->high - f->low));
}

static void text(FILE *out, double at_x, double at_y, const char *anchor, const char *colour,
		 const char *words)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", at_x, at_y,
		anchor, colour);
	for (; *words; words++) {
		if (*words == '<' || *words == '&')
			fprintf(out, *words == '<' ? "&lt;" : "&amp;");
		else
			fputc(*words, out);
	}
	fprintf(out, "</text>\n");
}

/* Return a round step that divides @range into 5 to 12 parts. */
static double step_of(double range)
{
	double step = pow(10, floor(log10(range / 5)));

	if (range / step > 25)
		return 5 * step;
	return range / step > 10 ? 2 * step : step;
}

static void draw_frame(const struct frame *f, const char *title)
{
	double step = step_of(f->high - f->low), value, at;
	char words[32];

	text(f->out, LEFT, f->top - 8, "start", "#333", title);
	for (value = ceil(f->low / step) * step; value <= f->high; value += step) {
		fprintf(f->out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
			LEFT, y(f, value), WIDTH - RIGHT, y(f, value));
		snprintf(words, sizeof(words), "%g", value);
		text(f->out, LEFT - 6, y(f, value) + 4, "end", "#333", words);
	}
	step = f->seconds > 0 ? step_of(f->seconds) : 1;
	for (at = 0; at <= f->seconds; at += step) {
		snprintf(words, sizeof(words), "%g s", at);
		text(f->out, x(f, at), f->top + FRAME + 18, "middle", "#333", words);
	}
	fprintf(f->out,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n",
		LEFT, f->top, WIDTH - LEFT - RIGHT, FRAME);
}

typedef double (*value_fn)(const struct soak_period *p);

static double rate(const struct soak_period *p)
{
	return p->seconds > 0 ? (double)p->bytes * 8 / 1e9 / p->seconds : NAN;
}

static double temperature(const struct soak_period *p)
{
	return p->temperature;
}

static double highest(const struct soak *s, value_fn value)
{
	double high = 0;
	size_t i;

	for (i = 0; i < s->history.count; i++)
		high = fmax(high, value(&s->history.period[i]));
	return high;
}

/* An unknown value interrupts the line. */
static bool draw_line(const struct frame *f, const struct soak *s, unsigned int lane,
		      value_fn value)
{
	bool begun = false, any = false;
	size_t i;

	for (i = 0; i < s->history.count; i++) {
		const struct soak_period *p = &s->history.period[i];
		double v = value(p);

		if (p->lane != lane)
			continue;
		if (isnan(v)) {
			if (begun)
				fprintf(f->out, "\"/>\n");
			begun = false;
			continue;
		}
		if (!begun)
			fprintf(f->out,
				"<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
				COLOUR(lane));
		fprintf(f->out, "%s%.1f,%.1f", begun ? " " : "", x(f, p->at), y(f, v));
		begun = any = true;
	}
	if (begun)
		fprintf(f->out, "\"/>\n");
	return any;
}

static void draw_lines(const struct frame *f, const struct soak *s, value_fn value)
{
	unsigned int lane, named = 0;

	for (lane = 0; lane < s->count; lane++) {
		if (draw_line(f, s, lane, value) && named < NAMES)
			text(f->out, WIDTH - RIGHT + 8, f->top + 10 + 14 * named++, "start",
			     COLOUR(lane), s->lanes[lane].name);
	}
}

static void draw_limit(const struct frame *f, double value, const char *colour)
{
	fprintf(f->out,
		"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"6 4\"/>\n",
		LEFT, y(f, value), WIDTH - RIGHT, y(f, value), colour);
}

void soak_plot(FILE *out, const struct soak *s)
{
	double most = highest(s, rate), hot = highest(s, temperature);
	struct frame rates = {.out = out,
			      .top = TOP,
			      .high = most > 0 ? most * 1.05 : 1,
			      .seconds = s->history.seconds};
	struct frame heat = {.out = out,
			     .top = TOP + FRAME + BETWEEN,
			     .low = 20,
			     .high = fmax(90, hot + 5),
			     .seconds = s->history.seconds};
	int height = TOP + 2 * FRAME + 2 * BETWEEN;

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		WIDTH, height, WIDTH, height);
	draw_frame(&rates, "Rate, Gb/s");
	draw_lines(&rates, s, rate);
	draw_frame(&heat, "Temperature, degrees C");
	draw_limit(&heat, s->limits.temperature, "#edae49");
	draw_limit(&heat, CRITICAL_CELSIUS, "#d1495b");
	draw_lines(&heat, s, temperature);
	fprintf(out, "</svg>\n");
}

int soak_plot_write(const char *path, const struct soak *s)
{
	const struct output_options options = {.prometheus = true, .file = path};
	struct output o;
	int code;

	code = output_begin(&options, &o);
	if (code)
		return code;
	soak_plot(o.out, s);
	return output_end(&o, TOOL_OK);
}
