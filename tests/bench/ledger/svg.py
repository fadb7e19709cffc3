# SPDX-License-Identifier: GPL-2.0-or-later
"""A small writer of plots: lines over a logarithmic axis, and stacked bars. No library needed."""

from html import escape

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 60
COLOURS = ("#1b6ca8", "#d1495b", "#3d8b37", "#edae49", "#6a4c93", "#00798c", "#8d5524", "#555555")
DASHES = {1: "", 2: "7 4", 4: "2 3"}


class Plot:
    def __init__(self, title, x_label, y_label):
        self._title, self._x_label, self._y_label = title, x_label, y_label
        self._parts = []

    def _add(self, text, *values):
        self._parts.append(text % values if values else text)

    def _text(self, x, y, text, anchor="middle", size=12, extra=""):
        self._add('<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" %s>%s</text>',
                  x, y, anchor, size, extra, escape(text))

    def _frame(self, x_ticks, y_ticks):
        """ticks: (position, text)."""
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for x, text in x_ticks:
            self._add('<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/>', x, TOP, x, bottom)
            self._text(x, bottom + 18, text)
        for y, text in y_ticks:
            self._add('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>', LEFT, y, right, y)
            self._text(LEFT - 6, y + 4, text, "end")
        self._add('<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#333"/>',
                  LEFT, TOP, right - LEFT, bottom - TOP)
        middle = (TOP + bottom) / 2
        self._text((LEFT + right) / 2, HEIGHT - 16, self._x_label)
        self._text(18, middle, self._y_label, extra='transform="rotate(-90 18 %.1f)"' % middle)
        self._text((LEFT + right) / 2, 24, self._title, size=15)

    def svg(self):
        return ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
                'viewBox="0 0 %d %d" font-family="sans-serif">\n'
                '<rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n' %
                (WIDTH, HEIGHT, WIDTH, HEIGHT, "\n".join(self._parts)))


def ticks(top):
    """Return about five round steps from 0 to at least @top."""
    step = 1.0
    while step * 5 < top:
        step *= 10
    while step * 5 / 10 >= top and top > 0:
        step /= 10
    for part in (0.1, 0.2, 0.5, 1):
        if step * part * 6 >= top:
            step *= part
            break
    count = 1
    while step * count < top:
        count += 1
    return [step * i for i in range(count + 1)]


def lines(title, x_label, y_label, sizes, curves, top=None):
    """
    curves: (name, dash key, {size: value}); sizes: (value, text), placed at equal distances, which is
    what a logarithmic axis does with powers of two.
    """
    plot = Plot(title, x_label, y_label)
    places = {size: LEFT + (WIDTH - RIGHT - LEFT) * (i + 0.5) / len(sizes)
              for i, (size, _) in enumerate(sizes)}
    highest = max([v for _, _, points in curves for v in points.values()], default=1.0)
    steps = ticks(max(highest, 1e-6) if top is None else top)

    def place(value):
        bottom = HEIGHT - BOTTOM
        return bottom - (bottom - TOP) * min(value, steps[-1]) / steps[-1]

    plot._frame([(places[size], text) for size, text in sizes],
                [(place(step), "%g" % step) for step in steps])
    names = sorted({name for name, _, _ in curves}, key=[c[0] for c in curves].index)
    for number, (name, dash, points) in enumerate(curves):
        colour = COLOURS[names.index(name) % len(COLOURS)]
        known = [(places[s], place(points[s])) for s, _ in sizes if s in points]
        if not known:
            continue
        plot._add('<polyline fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s" '
                  'points="%s"/>', colour, DASHES.get(dash, ""),
                  " ".join("%.1f,%.1f" % p for p in known))
        for x, y in known:
            plot._add('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>', x, y, colour)
        y = TOP + 14 + 18 * number
        plot._add('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="2" '
                  'stroke-dasharray="%s"/>', WIDTH - RIGHT + 12, y - 4, WIDTH - RIGHT + 40, y - 4,
                  colour, DASHES.get(dash, ""))
        plot._text(WIDTH - RIGHT + 46, y, "%s, %d ep" % (name, dash) if dash else name, "start", 11)
    return plot.svg()


def shares(title, columns):
    """Draw bars stacked to 100 %. columns: (text, [share of each process], note)."""
    plot = Plot(title, "processes", "share of operations, %")
    bottom = HEIGHT - BOTTOM
    width = (WIDTH - RIGHT - LEFT) / max(len(columns), 1)
    plot._frame([(LEFT + width * (i + 0.5), c[0]) for i, c in enumerate(columns)],
                [(bottom - (bottom - TOP) * p / 100, "%d" % p) for p in (0, 25, 50, 75, 100)])
    for i, (_, parts, note) in enumerate(columns):
        y = bottom
        for number, part in enumerate(parts):
            height = (bottom - TOP) * part
            y -= height
            plot._add('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" '
                      'stroke="white"/>', LEFT + width * (i + 0.2), y, width * 0.6, height,
                      COLOURS[number % len(COLOURS)])
        plot._text(LEFT + width * (i + 0.5), TOP - 4, note, size=11)
    return plot.svg()
