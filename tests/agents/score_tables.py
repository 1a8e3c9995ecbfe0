"""Made-up score tables for tests of the order of bids: no cards, any number of hands."""

import numpy as np

FULL = (1, 2, 3, 4, 3, 2, 1)


def outcome_tables(hands, denominations, bids, seed, *, layouts=16, folds=2):
    """(folds, H, D, B, B): probabilities of missing by 0.., sampled as a table of layouts is."""
    rng = np.random.default_rng(seed)
    tricks = np.arange(bids)
    strength = rng.uniform(0, bids - 1, (hands, denominations, 1))
    taken = np.exp(-0.5 * (tricks - strength) ** 2 / rng.uniform(0.3, 1.5, strength.shape) ** 2)
    taken /= taken.sum(axis=2, keepdims=True)
    tables = np.zeros((folds, hands, denominations, bids, bids))
    for fold in range(folds):
        shares = rng.multinomial(layouts, taken) / layouts
        for bid in range(bids):
            for tricks_taken in range(bids):
                tables[fold, :, :, bid, abs(bid - tricks_taken)] += shares[:, :, tricks_taken]
    return tables


def weights_of(hands, seed):
    return np.random.default_rng(seed).integers(1, 25, hands)


def points_of(outcomes):
    """Mean points, recomputed: 10 for a hit, two less for each trick missed."""
    return outcomes @ (10.0 - 2.0 * np.arange(outcomes.shape[-1]))
