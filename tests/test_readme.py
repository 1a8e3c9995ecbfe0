"""What the README says is so."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from bidwise import envs

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_examples_run_as_they_stand() -> None:
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len(blocks) >= 3
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["rewards"].shape == (4096, 4)
    assert set(names["observations"]) == {"observation", "action_mask"}


def test_the_pictures_are_there_and_told_in_words() -> None:
    pictures = re.findall(r"!\[(.*?)\]\((.*?)\)", README, re.S)
    assert len(pictures) == 3
    for words, path in pictures:
        file = Path(__file__).parents[1] / path
        assert file.is_file(), path
        assert file.stat().st_size <= 150_000, path
        assert len(words.split()) > 10, path


def rows() -> dict[str, list[str]]:
    """The tables of switches: by field, the cells behind its first two columns."""
    cells = [line.strip("| ").split(" | ") for line in README.splitlines() if "|" in line]
    return {row[0].strip("`"): [c.strip() for c in row[2:]] for row in cells if len(row) > 3}


def told(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return text.replace("-", "−")
    return text


@pytest.mark.parametrize("rules", [envs.PyramidRules, envs.SpadesRules])
def test_every_switch_is_told_with_its_value_in_every_preset(rules: Any) -> None:
    table = rows()
    for field in dataclasses.fields(rules):
        values = [told(getattr(rules.preset(name), field.name)) for name in rules.presets()]
        given = [cell.removeprefix("+") for cell in table[field.name]]
        assert given == values, field.name


def test_the_exact_values_are_those_of_the_shipped_tables() -> None:
    from bidwise.agents import order
    from bidwise.agents.order.strategies import exact_means
    from bidwise.agents.outcomes.hands import class_weights

    lines = [line for line in README.splitlines() if re.match(r"\| [234], `\w+` \|", line)]
    assert len(lines) == 6
    for line in lines:
        who, layouts, *figures = (cell.strip(" *`") for cell in line.strip("|").split("|"))
        players, rules = re.match(r"(\d), `(\w+)", who).groups()  # type: ignore[union-attr]
        table = order.shipped(int(players), rules)
        assert table.layouts == int(layouts)
        scores = table.option_scores(0), table.option_scores(1)
        means = exact_means(*scores, class_weights(), table.rules.quota)
        fit = order.cross_fit(*scores, class_weights(), table.rules.quota)
        found = [means[name] for name in ("random", "best-now", "above-mean")]
        assert [f"{value:.2f}" for value in (*found, fit.value, fit.in_sample)] == figures, who
