"""Draws the README's pictures anew, into docs/images: `make pictures`, some two minutes.

The table is a Spades deal between four agents `basic-v1`; the learning curve is that of the
demo, which trains for about a minute; the order of bids is that of the study of four players
by the inventor's rules. All of them are fixed by their seeds.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from bidwise import agents, envs, train
from bidwise.train.demo import Demo, demo

IMAGES = Path(__file__).parent / "images"
WIDTH = 1200
INK, QUIET, RED, FELT = "#22303c", "#9aa5af", "#c0392b", "#f6f8f7"


def table_text(seed: int = 8, steps: int = 150) -> str:
    """A Spades table as the terminal draws it, after so many decisions."""
    env = envs.spades_env(rules="piki", render_mode="ansi")
    seats = {
        name: agents.make("basic", game="spades", rules="piki", seed=seat)
        for seat, name in enumerate(env.possible_agents)
    }
    env.reset(seed=seed)
    for _ in range(steps):
        seen = env.observe(env.agent_selection)
        actor = seats[env.agent_selection]
        env.step(actor.act(seen["observation"], seen["action_mask"]))
    return str(env.render())


def draw_text(text: str, path: Path) -> None:
    """Write a text as a picture, a character a cell; red suits are red."""
    lines = text.splitlines()
    columns, rows = max(map(len, lines)) + 4, len(lines) + 2
    cell, size = WIDTH / columns, 2.0
    height = round(rows * cell * size)
    figure = Figure(figsize=(WIDTH / 100, height / 100), dpi=100, facecolor=FELT)
    FigureCanvasAgg(figure)
    for y, line in enumerate(lines):
        red = False
        for x, mark in enumerate(line):
            if mark in "♥♦♠♣":
                red = mark in "♥♦"
            elif mark == "│" or line[x : x + 2] == "  ":
                red = False
            if mark == " ":
                continue
            figure.text(
                (x + 2.5) / columns,
                1 - (y + 1.5) / rows,
                mark,
                family="DejaVu Sans Mono",
                fontsize=cell * 1.16,
                color=QUIET if mark in "╭╮╰╯│─–" else RED if red else INK,
                weight="bold" if y == 0 else "normal",
                ha="center",
                va="baseline",
            )
    figure.savefig(path)


def shrink(source: Path, target: Path) -> None:
    """A picture no wider than the README shows it."""
    with Image.open(source) as picture:
        size = (WIDTH, round(picture.height * WIDTH / picture.width))
        small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    small.quantize(256).save(target, optimize=True)


def main(runs: Path) -> None:
    IMAGES.mkdir(exist_ok=True)
    draw_text(table_text(), IMAGES / "table.png")
    train.study(train.Study(out=runs / "study", players=4, rules="inventor", win=False, confer=0))
    shrink(runs / "study" / "spending.png", IMAGES / "order_of_bids.png")
    demo(Demo(out=runs / "demo", minutes=30))  # so that no slow machine stops sooner
    shrink(runs / "demo" / "learning_curve.png", IMAGES / "learning_curve.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
