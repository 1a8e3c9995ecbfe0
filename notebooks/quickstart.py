# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # bidwise in five minutes
#
# Two card games in which the bid is the game: **Pyramid** (24 cards, one declarer a deal, sixteen
# bids to spend) and **Spades** (two pairs to 500, with nil and bags). This notebook plays them
# through every door of the library. It needs `pip install "bidwise[train]"`.

# %%
import tempfile
from pathlib import Path

import numpy as np
import pettingzoo

from bidwise import agents, envs

# %% [markdown]
# ## One table, every seat an agent (PettingZoo AEC)
#
# Observations are dicts of an int8 vector and an int8 mask of the legal actions.

# %%
env = pettingzoo.make("aec", "bidwise/Pyramid-v0", num_players=3, render_mode="ansi")
env.reset(seed=7)
random = np.random.default_rng(7)
for _agent in env.agent_iter(max_iter=200):
    observation, reward, terminated, truncated, info = env.last()
    mask = observation["action_mask"]
    env.step(None if terminated or truncated else int(random.choice(np.flatnonzero(mask))))
print(env.render())

# %% [markdown]
# An action that the rules forbid is refused with the rule, and nothing is lost.

# %%
env = envs.spades_env(rules="standard")
env.reset(seed=1)
for action in (56, 55, 54, 55):  # bids of 4, 3, 2 and 3
    env.step(action)
leader = env.agent_selection
spade = max(env.hands[int(leader[-1])])
try:
    env.step(spade)
except envs.IllegalActionError as error:
    print(error)

# %% [markdown]
# Fields of an observation have names.

# %%
row = env.observe(leader)["observation"]
{name: view.tolist() for name, view in envs.spades.LAYOUT.views(row).items() if view.size <= 4}

# %% [markdown]
# ## Many tables at once

# %%
tables = envs.Tables("spades", num_tables=4096, rules="piki", seed=0)
points = np.zeros(4)
for _ in range(200):
    rewards, finished = tables.step(tables.sample_actions())
    points += rewards.sum(axis=0)
print("relative points by seat:", points, "(they sum to zero)")

# %% [markdown]
# ## Baselines, and a fair comparison
#
# A strength is a paired difference over duplicate deals with a 95 % interval.

# %%
from bidwise import train  # noqa: E402  (where it is needed, for the reader)

basic = agents.make("basic", game="pyramid", rules="piramida", num_players=4)
randomly = agents.make("random", game="pyramid", rules="piramida", num_players=4)
comparison = train.duplicate(
    basic, randomly, game="pyramid", rules="piramida", num_players=4, matches=50, seed=1
)
for name, estimate in comparison.differences.items():
    print(f"{name}: {estimate.mean:+.2f} a deal, {estimate.low:+.2f} to {estimate.high:+.2f}")

# %% [markdown]
# ## Train a bidder
#
# Some seconds here, too few to beat `basic`; `make demo` trains for two minutes and does, and
# `bidwise train` as long as you like.

# %%
from IPython.utils.capture import capture_output  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    with capture_output():  # the progress bar is made for a terminal
        trained = train.train(
            train.TrainConfig(
                out=Path(folder) / "run",
                steps=100_000,
                num_tables=256,
                hidden=(64, 64),
                eval_every=0,
                final_matches=50,
            )
        )
    for baseline, comparison in trained.results.items():
        estimate = comparison.differences["declaring"]
        print(
            f"declaring, against {baseline}: {estimate.mean:+.2f} a deal, "
            f"{estimate.low:+.2f} to {estimate.high:+.2f}"
        )
    bidder = agents.make(str(trained.agent), game="pyramid", rules="piramida", num_players=4)
    env = envs.pyramid_env()
    env.reset(seed=3)
    seen = env.observe(env.agent_selection)
    action = bidder.act(seen["observation"], seen["action_mask"])
    print("declares", envs.pyramid.action_name(action))

# %% [markdown]
# ## Keep a match
#
# Any environment tells its match as text; `replay` re-checks every action and score.

# %%

env = envs.pyramid_env(num_players=2, deals=2)
env.reset(seed=5)
while not any(env.terminations.values()):
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(int(random.choice(np.flatnonzero(mask))))
text = env.record()
print(text)
print(envs.records.replay(text).scores)
