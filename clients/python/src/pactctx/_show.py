"""What notebooks show: snapshots as tables, runs as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

_COLORS = {
    "system": "#7d6bb0",
    "tool_definition": "#a795cf",
    "user": "#3f7fbf",
    "assistant": "#3d9a6a",
    "reasoning": "#8fc3a4",
    "call": "#c98a2b",
    "result": "#e3b96f",
    "image": "#c2649a",
    "summary": "#6f8f9f",
    "stub": "#9a9a9a",
    "erased": "#333333",
}
_OTHER = "#b5b5b5"
_WIDTH, _HEIGHT = 720, 240  # of a picture, in pixels


def _color(kind: str) -> str:
    return _COLORS.get(kind, _OTHER)


def blocks_html(title: str, page: Mapping[str, Any]) -> str:
    """Returns a page of blocks as a table."""
    rows = "".join(
        f'<tr><td><span style="color:{_color(b["shown_kind"])}">■</span> {escape(b["shown_kind"])}</td>'
        f"<td>{escape(b.get('tool', ''))}</td><td>{b['bytes']:,}</td>"
        f'<td style="text-align:left">{escape(b["first"])}</td></tr>'
        for b in page["items"]
    )
    more = page["total"] - len(page["items"])
    end = f"<p>… and {more:,} more</p>" if more else ""
    head = "<tr><th>kind</th><th>tool</th><th>bytes</th><th>begins</th></tr>"
    return f"<b>{escape(title)}</b><table>{head}{rows}</table>{end}"


class Picture:
    """All calls of a context: a column for each, a band for each block.

    A band is pale where the call repeats the one before it, which a provider can read from its cache, and full where it
    was sent anew. A red line is where the prefix broke. `strata` is the answer of the server that it is drawn from.
    """

    def __init__(self, name: str, strata: Mapping[str, Any]) -> None:
        self.name, self.strata = name, strata

    def __repr__(self) -> str:
        columns = len(self.strata["columns"])
        return (
            f"<pactctx picture of {self.name!r}: {columns} columns, up to {self.strata['max']:,} {self.strata['unit']}>"
        )

    def svg(self) -> str:
        """Returns the picture as an SVG."""
        columns = self.strata["columns"]
        step = _WIDTH / max(len(columns), 1)
        wide = step * 0.85 if step > 3 else step
        scale = _HEIGHT / max(self.strata["max"], 1)
        drawn: list[str] = []
        bands: list[list[Any]] = []
        for i, column in enumerate(columns):
            bands = bands[: column["keep"]] + column["bands"]
            x, below = i * step, 0
            for band in bands:
                height, kind = band[0], self.strata["kinds"][band[1]]
                pale = ' opacity=".35"' if below + height <= column["shared"] else ""
                drawn.append(_box(x, _HEIGHT - (below + height) * scale, wide, height * scale, _color(kind), pale))
                below += height
            if column["cut"] is not None:
                drawn.append(_box(x, _HEIGHT - column["cut"] * scale - 1, wide, 2, "#d1242f"))
        size = f'viewBox="0 -2 {_WIDTH} {_HEIGHT + 4}" width="{_WIDTH}" height="{_HEIGHT + 4}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(drawn)}</svg>'

    def _repr_html_(self) -> str:
        used = {b[1] for c in self.strata["columns"] for b in c["bands"]}
        kinds = [k for i, k in enumerate(self.strata["kinds"]) if i in used]
        legend = " ".join(f'<span style="color:{_color(k)}">■</span> {escape(k)}' for k in kinds)
        title = f"{self.name}: calls {self.strata['from']} to {self.strata['to']}, highest {self.strata['max']:,}"
        return f"<b>{escape(title)} {self.strata['unit']}</b><br>{self.svg()}<br>{legend}"


def _box(x: float, y: float, width: float, height: float, color: str, more: str = "") -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.2f}" fill="{color}"{more}/>'
