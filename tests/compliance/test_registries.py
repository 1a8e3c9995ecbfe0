"""Fresh processes find the envs by their ids; without a process's import nothing is there."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_gymnasium_makes_the_envs_when_the_id_names_the_module() -> None:
    """Nothing of ours is imported first."""
    out = run(
        "import gymnasium\n"
        "env = gymnasium.make('bidwise.envs:bidwise/Spades-v0', rules='zone', seat=2, deals=1)\n"
        "print(env.spec.id, env.reset(seed=1)[1]['seat'])\n"
        "many = gymnasium.make_vec('bidwise.envs:bidwise/Pyramid-v0', num_envs=3, num_players=3)\n"
        "print(many.spec.id, many.reset(seed=1)[1]['seat'].tolist())\n"
    )
    assert out == ["bidwise/Spades-v0 2", "bidwise/Pyramid-v0 [0, 0, 0]"]


def test_importing_the_envs_registers_them_with_both_libraries_once() -> None:
    """A second registration would warn; warnings are errors here."""
    out = run(
        "import bidwise.envs\n"
        "from bidwise.envs import register_gymnasium, register_pettingzoo\n"
        "register_gymnasium()\n"
        "register_pettingzoo()\n"
        "import gymnasium, pettingzoo\n"
        "for name in ('Pyramid', 'Spades'):\n"
        "    env = pettingzoo.make('aec', f'bidwise/{name}-v0', deals=1)\n"
        "    env.reset(seed=1)\n"
        "    print(env.metadata['name'])\n"
        "    print(gymnasium.make(f'bidwise/{name}-v0').spec.id)\n"
    )
    assert out == ["bidwise/Pyramid-v0"] * 2 + ["bidwise/Spades-v0"] * 2


def test_the_entry_point_for_plugins_can_be_called() -> None:
    """Gymnasium below 1.1 calls it by itself."""
    (point,) = entry_points(group="gymnasium.envs", name="bidwise")
    point.load()()
