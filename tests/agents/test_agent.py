"""What every agent keeps: legal actions, streams of its own, refusals that name the shapes."""

import copy
import os
import pickle
import subprocess
import sys
from random import Random

import numpy as np
import pytest
import rulesheet
from sitting import PRESETS, fields, mixed_play, some_tables

from bidwise import agents, envs
from bidwise.envs import Tables, get_game
from bidwise.envs.batch.policies import KernelPolicy

GAMES = ("pyramid", "spades")
NAMES = ("random", "basic")


def agent_for(name, tables, seed=0):
    return agents.make(
        name, game=tables.game.name, rules=tables.rules, num_players=tables.num_players, seed=seed
    )


# ------------------------------------------------------------------------- what is played


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_whole_matches_are_legal_under_every_preset(game, preset, name):
    for num_players in get_game(game).player_counts:
        tables = Tables(game, 4, rules=preset, num_players=num_players, threads=1)
        agent = agent_for(name, tables)
        finished = np.zeros(4, np.bool_)
        for _ in range(4000):
            if finished.all():
                break
            _, ended = tables.step(agent.act_batch(tables.observations, tables.action_masks))
            finished |= ended
        assert finished.all() or (name, game) == ("random", "spades")  # whose matches are long


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_legal_under_random_rules(game, name):
    rng = Random(f"legal {game} {name}")
    for _ in range(40):
        tables = some_tables(game, rng, deals=2)
        agent = agent_for(name, tables)
        for _ in range(150):
            tables.step(agent.act_batch(tables.observations, tables.action_masks))


@pytest.mark.parametrize("game", GAMES)
def test_basic_plays_by_its_rule_sheet(game):
    sheet = getattr(rulesheet, game)
    rng = Random(f"sheet {game}")
    for _ in range(12):
        tables = some_tables(game, rng, deals=2)
        basic = agent_for("basic", tables)
        for observations, masks in mixed_play(tables, 130):
            actions = basic.act_batch(observations, masks)
            for i in rng.sample(range(len(actions)), 2):
                legal = np.flatnonzero(masks[i]).tolist()
                seen = fields(game, observations[i])
                assert actions[i] == sheet(seen, legal), (seen, legal)


@pytest.mark.parametrize("game", GAMES)
def test_random_plays_every_legal_action_equally_often(game):
    tables = Tables(game, 1, threads=1, rules="standard" if game == "spades" else None)
    row, mask = tables.observations, tables.action_masks
    agent = agents.make("random", game=game)
    legal = np.flatnonzero(mask[0])
    draws = 2000 * len(legal)
    actions = agent.act_batch(np.repeat(row, draws, 0), np.repeat(mask, draws, 0))
    counts = np.bincount(actions, minlength=mask.shape[1])[legal]
    assert counts.sum() == draws
    assert ((counts - 2000) ** 2 / 2000).sum() < 2 * len(legal) + 20


# ------------------------------------------------------------------ kernels and batches


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("game", GAMES)
def test_one_by_one_and_as_a_batch_it_plays_the_same(game, name):
    tables = some_tables(game, Random(5))
    whole, single = agent_for(name, tables, seed=9), agent_for(name, tables, seed=9)
    for observations, masks in mixed_play(tables, 40):
        actions = whole.act_batch(observations, masks)
        assert actions.dtype == np.int64
        alone = [single.act(row, mask) for row, mask in zip(observations, masks, strict=True)]
        assert actions.tolist() == alone


@pytest.mark.parametrize("game", GAMES)
def test_the_kernel_is_the_same_agent(game):
    tables = some_tables(game, Random(6))
    basic = agent_for("basic", tables)
    assert isinstance(basic.kernel, KernelPolicy)
    assert basic.kernel.address != 0
    for observations, masks in mixed_play(tables, 100):
        by_kernel = basic.kernel.act_batch(observations, masks)
        np.testing.assert_array_equal(by_kernel, basic.act_batch(observations, masks))
        function = basic.kernel.function
        assert by_kernel[0] == function(observations[0], masks[0], np.uint64(0))


@pytest.mark.parametrize("game", GAMES)
def test_a_learner_may_sit_among_agents(game):
    def policy(seed):
        return agents.make("basic", game=game, seed=seed)

    partner = policy(3) if game == "spades" else None
    env = envs.seat_env(
        game, decide="bids", own=policy(1), opponents=policy(2), partner=partner, deals=2
    )
    seen, _ = env.reset(seed=0)
    learner, over = policy(4), False
    while not over:
        action = learner.act(seen["observation"], seen["action_mask"])
        seen, _, terminated, truncated, _ = env.step(action)
        over = terminated or truncated


INTERPRETED = """
import hashlib
import numpy as np
from bidwise import agents
from bidwise.envs import Tables
from bidwise.envs.core import compilation as jit
assert jit.INTERPRETED == {interpreted}
digest = hashlib.sha256()
for game, preset in (("pyramid", "inventor"), ("spades", "piki")):
    tables = Tables(game, 2, rules=preset, deals=1, threads=1)
    basic = agents.make("basic", game=game, rules=preset)
    mixed = agents.make("random", game=game, rules=preset)
    for step in range(70):
        agent = mixed if step % 4 == 3 else basic
        actions = agent.act_batch(tables.observations, tables.action_masks)
        digest.update(actions.tobytes())
        tables.step(actions)
print(digest.hexdigest())
"""


def run_python(program, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_interpreted_and_compiled_agents_play_the_same():
    plain = run_python(INTERPRETED.format(interpreted=True), NUMBA_DISABLE_JIT="1")
    fast = run_python(INTERPRETED.format(interpreted=False), NUMBA_DISABLE_JIT="0")
    assert plain.returncode == 0, plain.stderr
    assert fast.returncode == 0, fast.stderr
    assert plain.stdout == fast.stdout


# -------------------------------------------------------------------------------- streams


@pytest.mark.parametrize("game", GAMES)
def test_equal_seeds_draw_the_same_and_others_do_not(game):
    tables = Tables(game, 200, threads=1, rules="standard" if game == "spades" else None)
    seen = tables.observations, tables.action_masks

    def draws(seed):
        agent = agents.make("random", game=game, seed=seed)
        return [agent.act_batch(*seen).tolist() for _ in range(3)]

    assert draws(0) == draws(0)
    assert draws(2**64 - 1) == draws(2**64 - 1)
    assert draws(0) != draws(1)
    first, second, third = draws(0)
    assert first != second != third


def test_no_global_stream_is_touched():
    np.random.seed(3)  # noqa: NPY002  # the stream that must not be used
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    tables = Tables("pyramid", 50, threads=1)
    agents.make("random", game="pyramid").act_batch(tables.observations, tables.action_masks)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
@pytest.mark.parametrize("game", GAMES)
def test_a_copy_goes_on_where_the_agent_stood(game, twin):
    tables = Tables(game, 100, threads=1)
    seen = tables.observations, tables.action_masks
    agent = agents.make("random", game=game)
    agent.act_batch(*seen)
    other = twin(agent)
    np.testing.assert_array_equal(agent.act_batch(*seen), other.act_batch(*seen))


def test_an_agent_may_be_sent_to_another_process(tmp_path):
    tables = Tables("pyramid", 20, threads=1)
    agent = agents.make("basic", game="pyramid")
    expected = agent.act_batch(tables.observations, tables.action_masks).tolist()
    (tmp_path / "agent").write_bytes(pickle.dumps(agent))
    program = (
        "import pathlib, pickle, sys\n"
        "from bidwise.envs import Tables\n"
        f"agent = pickle.loads(pathlib.Path({str(tmp_path / 'agent')!r}).read_bytes())\n"
        "tables = Tables('pyramid', 20, threads=1)\n"
        "print(agent.act_batch(tables.observations, tables.action_masks).tolist())"
    )
    result = run_python(program)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == str(expected)


# ------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("name", NAMES)
def test_shapes_that_do_not_fit_are_named(name):
    tables = Tables("spades", 3, threads=1)
    rows, masks = tables.observations, tables.action_masks
    agent = agents.make(name, game="spades")
    size = rows.shape[1]
    other = Tables("pyramid", 3, threads=1)
    for observations, action_masks, reason in [
        (other.observations, masks, rf"observations: spades expects int8 of shape \(3, {size}\)"),
        (rows, other.action_masks, r"action_masks: .* \(3, 68\), got int8 of shape \(3, 67\)"),
        (rows, masks[:2], r"action_masks: .* \(3, 68\), got int8 of shape \(2, 68\)"),
        (rows[0], masks, r"observations: "),
        (rows.astype(np.float32), masks, r"observations: .*got float32"),
        (rows, masks.astype(np.int64), r"action_masks: .*got int64"),
    ]:
        with pytest.raises(ValueError, match=reason):
            agent.act_batch(observations, action_masks)
    with pytest.raises(
        ValueError, match=rf"observation: .* \({size},\), got int8 .* \(1, {size}\)"
    ):
        agent.act(rows[:1], masks[0])
    with pytest.raises(ValueError, match=r"action_mask: .* \(68,\), got int8 of shape \(67,\)"):
        agent.act(rows[0], other.action_masks[0])


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_without_a_legal_action_is_refused(name):
    tables = Tables("spades", 5, threads=1)
    masks = tables.action_masks.copy()
    masks[3] = 0
    agent = agents.make(name, game="spades")
    with pytest.raises(ValueError, match="action_masks: row 3 has no legal action"):
        agent.act_batch(tables.observations, masks)


@pytest.mark.parametrize("name", NAMES)
def test_bool_masks_empty_batches_and_any_memory_order_are_taken(name):
    tables = Tables("pyramid", 6, threads=1)
    rows, masks = tables.observations.copy(), tables.action_masks.copy()
    first, second = (agents.make(name, game="pyramid") for _ in range(2))
    expected = first.act_batch(rows, masks)
    given = np.asfortranarray(rows), np.asfortranarray(masks) != 0
    np.testing.assert_array_equal(second.act_batch(*given), expected)
    assert first.act_batch(rows[:0], masks[:0]).shape == (0,)


def test_agents_need_neither_torch_nor_stable_baselines3():
    program = (
        "import sys; from bidwise import agents\n"
        "agents.make('basic', game='spades')\n"
        "print([m for m in ('torch', 'stable_baselines3', 'sb3_contrib', 'tyro')"
        " if m in sys.modules])"
    )
    result = run_python(program)
    assert (result.returncode, result.stdout.strip()) == (0, "[]"), result.stderr
