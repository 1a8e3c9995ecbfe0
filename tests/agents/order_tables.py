"""Made-up outcome tables over all hand classes, for agents and commands that read one."""

import numpy as np

from bidwise.agents.outcomes import table as outcomes
from bidwise.envs import PyramidRules


def made_up_table(rules="inventor", num_players=4, *, layouts=16, seed=0, **values):
    """Counts of tricks taken by nobody's play, but such as a table may hold."""
    the_rules = PyramidRules.preset(rules) if isinstance(rules, str) else rules
    rng = np.random.default_rng(seed)
    rows = outcomes.num_rows(the_rules)
    strength = rng.uniform(0, 6, (rows, 1))
    taken = np.exp(-((np.arange(7) - strength) ** 2) / 2)
    shares = rng.multinomial(layouts // 2, taken / taken.sum(axis=1, keepdims=True), (2, rows))
    counts = np.zeros((2, rows, 7, 7), outcomes.counts_type(layouts))
    for bid in range(7):
        for tricks in range(7):
            counts[:, :, bid, abs(bid - tricks)] += shares[:, :, tricks].astype(counts.dtype)
    facts = {"source": "double dummy", "seed": seed, **values}
    return outcomes.Outcomes(counts, num_players, the_rules, layouts, **facts)
