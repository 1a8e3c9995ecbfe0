"""The card of a published agent: what it is, and which env it fits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bidwise.agents.base import Setting
from bidwise.agents.network import ACTIVATIONS
from bidwise.envs.core.checks import check_choice, check_int, rules_from_fields
from bidwise.envs.core.vocabulary import DECIDE
from bidwise.envs.game import Game
from bidwise.envs.games import get_game

__all__ = ["FORMAT", "Card", "actions_digest", "read_card", "write_card"]

FORMAT = 1
"""Version of the card's format."""

_FEATURES = ("scaled",)
_MOST_UNITS = 65_536
_KEYS = (
    "format",
    "name",
    "game",
    "env_id",
    "rules",
    "num_players",
    "decide",
    "rest",
    "features",
    "observation_digest",
    "actions_digest",
    "architecture",
    "weights_sha256",
    "training",
    "results",
)


def actions_digest(game: Game) -> str:
    """Sixteen hex digits that change whenever an action's id or name does."""
    names = "\n".join(game.action_name(action) for action in range(game.num_actions))
    return hashlib.sha256(names.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Card:
    """What ``card.json`` says beside the hashes.

    Attributes:
        name: the agent's.
        game: the game's.
        rules: the rules dataclass it was trained under.
        num_players: players at its tables.
        hidden: sizes of the network's hidden layers.
        activation: ``"tanh"`` or ``"relu"``.
        decide: ``"all"``, ``"bids"`` or ``"cards"``: what the network decides.
        rest: name of the agent that takes the other decisions.
        training: seed, steps, versions: anything that JSON holds.
        results: anything that JSON holds.

    Raises:
        ValueError: a value that is unknown or out of range; it names the field.
    """

    name: str
    game: Game
    rules: Any
    num_players: int
    hidden: tuple[int, ...]
    activation: str
    decide: str = "all"
    rest: str = "basic-v1"
    training: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what in ("name", "rest"):
            text = getattr(self, what)
            if not isinstance(text, str) or not text:
                raise ValueError(f"{what}: expected a text, got {text!r}")
        Setting(self.game, self.rules, self.num_players, 0)
        if not isinstance(self.hidden, tuple):
            raise ValueError(f"hidden: expected the layers' sizes, got {self.hidden!r}")
        for size in self.hidden:
            check_int("hidden", size, 1, _MOST_UNITS)
        check_choice("activation", self.activation, tuple(ACTIVATIONS))
        check_choice("decide", self.decide, DECIDE)
        for what in ("training", "results"):
            if not isinstance(getattr(self, what), Mapping):
                raise ValueError(f"{what}: expected a mapping, got {getattr(self, what)!r}")

    def why_unfit(self, setting: Setting) -> str | None:
        """Why the agent cannot play in a setting; None if it can."""
        if setting.game is not self.game:
            return f"game: it plays {self.game.name}, asked for {setting.game.name}"
        if setting.num_players != self.num_players:
            return f"num_players: it plays with {self.num_players}, asked for {setting.num_players}"
        mine, asked = asdict(self.rules), asdict(setting.rules)
        differing = [
            f"{name} {mine[name]!r}, asked for {asked[name]!r}"
            for name in mine
            if mine[name] != asked[name]
        ]
        return f"rules: it was trained with {'; '.join(differing)}" if differing else None


def write_card(card: Card, weights_sha256: str) -> str:
    """The text of ``card.json``; ValueError for what JSON cannot hold."""
    values: dict[str, Any] = {
        "format": FORMAT,
        "name": card.name,
        "game": card.game.name,
        "env_id": card.game.env_id,
        "rules": asdict(card.rules),
        "num_players": card.num_players,
        "decide": card.decide,
        "rest": card.rest,
        "features": _FEATURES[0],
        "observation_digest": card.game.layout.digest,
        "actions_digest": actions_digest(card.game),
        "architecture": {"hidden": list(card.hidden), "activation": card.activation},
        "weights_sha256": weights_sha256,
        "training": dict(card.training),
        "results": dict(card.results),
    }
    assert tuple(values) == _KEYS
    try:
        return json.dumps(values, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    except (TypeError, ValueError) as error:
        raise ValueError(f"card: {error}") from None


def read_card(text: str) -> tuple[Card, str]:
    """The card of a text, and the hash of its weights.

    Raises:
        ValueError: what is not a card of this format, or does not fit the installed envs.
    """
    try:
        values = json.loads(text)
    except ValueError as error:
        raise ValueError(f"broken JSON: {error}") from None
    if not isinstance(values, dict):
        raise ValueError("broken JSON: expected an object")
    if values.get("format") != FORMAT:
        raise ValueError(f"format: {values.get('format')!r}, this version reads {FORMAT}")
    missing = [key for key in _KEYS if key not in values]
    unknown = [key for key in values if key not in _KEYS]
    if missing or unknown:
        raise ValueError(f"fields: missing {missing}, unknown {unknown}")
    game = get_game(values["game"]) if isinstance(values["game"], str) else None
    if game is None:
        raise ValueError(f"game: expected a name, got {values['game']!r}")
    for what, here in (
        ("env_id", game.env_id),
        ("observation_digest", game.layout.digest),
        ("actions_digest", actions_digest(game)),
    ):
        if values[what] != here:
            raise ValueError(f"{what}: made for {values[what]!r}, here it is {here!r}")
    check_choice("features", values["features"], _FEATURES)
    rules, architecture = values["rules"], values["architecture"]
    if not isinstance(rules, dict) or set(rules) != set(game.rules.__dataclass_fields__):
        raise ValueError(f"rules: expected every field of {game.rules.__name__}, got {rules!r}")
    if not isinstance(architecture, dict) or set(architecture) != {"hidden", "activation"}:
        raise ValueError(f"architecture: expected hidden and activation, got {architecture!r}")
    hidden = architecture["hidden"]
    card = Card(
        name=values["name"],
        game=game,
        rules=rules_from_fields(game.rules, rules),
        num_players=values["num_players"],
        hidden=tuple(hidden) if isinstance(hidden, list) else hidden,
        activation=architecture["activation"],
        decide=values["decide"],
        rest=values["rest"],
        training=values["training"],
        results=values["results"],
    )
    return card, str(values["weights_sha256"])
