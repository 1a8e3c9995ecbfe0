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
# # In which order are a pyramid's bids best spent?
#
# In Pyramid each player declares sixteen times and must spend each bid as often as the pyramid
# holds it: 0 once, 1 twice, 2 three times, 3 four times, 4 three times, 5 twice, 6 once. A deal
# earns 10 − 2·|bid − taken| points. So a hand that would bid 4 may have to bid something else,
# because the fours are gone or because a better hand for a 4 may still come. *Which bid, now?*
#
# Nobody touches another player's pyramid, so the question can be answered exactly, once it is
# known what each hand brings with each bid. This notebook goes there in four steps: one deal with
# all hands open, all hands, the exact order, and what players want to know.
# `bidwise study` does the same at full length; both need `pip install "bidwise[train]"`.

# %%
from IPython.display import Image, Markdown

from bidwise import agents
from bidwise.envs.core.cards import DECK_24, SUIT_SYMBOLS


def cards(text):
    """Card ids of a hand such as "AS KS 9H"."""
    return [DECK_24.parse(card) for card in text.split()]


# %% [markdown]
# ## 1. One deal, all hands open
#
# The declarer (first hand) leads; the other three play as one against him, and everybody sees
# every card. The solver tells the declarer's best score for every bid at once. These are
# *double-dummy values*: a table of them is a sharp yardstick, not the game's optimum, because at
# the table nobody sees through the backs of the cards.

# %%
hands = [
    cards("AS QS TS AH KH 9D"),
    cards("KS QH KD TD AC JC"),
    cards("JS JH 9H AD QC TC"),
    cards("9S TH QD JD KC 9C"),
]
lines = ["trump   bid 0   1   2   3   4   5   6"]
for trump, name in enumerate([*SUIT_SYMBOLS, "none"]):
    scores = agents.solvers.pyramid.solve(hands, trump=trump, rules="inventor")
    lines.append(f"{name:>5}     " + " ".join(f"{score:3}" for score in scores.tolist()))
print("\n".join(lines))

# %% [markdown]
# A 10 marks a bid that the declarer makes whatever the others do. Each first card leaves
# something else possible; with spades as trump and a bid of 4:

# %%
values = agents.solvers.pyramid.solve_cards(hands, trump=3, rules="inventor")
for card, scores in zip(values.cards, values.card_scores.tolist(), strict=True):
    print(DECK_24.name(card), "leaves", scores[4], "points")

# %% [markdown]
# ## 2. All hands
#
# There are 134,596 hands. Renaming suits changes nothing, which leaves 6,907 classes; with each
# trump and bid every class was solved over sampled layouts of the other cards. bidwise brings the
# counts of |bid − taken| along. They lie in two halves: one may decide, the other then values,
# so that no table flatters its own decisions.

# %%
from bidwise.agents.outcomes.hands import NUM_HANDS, class_of, class_weights  # noqa: E402

one = DECK_24.mask(hands[0])
other = DECK_24.mask(cards("AC QC TC AD KD 9H"))  # the same, suits renamed
assert class_of(one) == class_of(other)
print(f"{NUM_HANDS:,} hands, {len(class_weights()):,} classes; this one is number {class_of(one)}")

table = agents.order.shipped(4, "inventor")
points = table.option_scores()[class_of(one)].max(axis=0)  # the best trump for each bid
print("it expects, with bids 0 to 6:", points.round(1).tolist())

# %% [markdown]
# ## 3. The exact order
#
# What is left of a pyramid is one of 2,880 states. From the empty one upwards, the value of a
# state is the mean over all hands of the best bid's points plus the value of what remains. Half
# a second of work, for every hand and every state.

# %%
from bidwise.train.studies.analysis.findings import find, note_of  # noqa: E402

basic = agents.make("basic", game="pyramid", rules=table.rules, num_players=4)
found = find(table, agents=[basic], sequences=500, seed=1)
print(f"the exact order is worth {found.fit.value:.1f} points of {found.most}")
print(f"(the layouts that decided claim {found.fit.in_sample:.1f} of themselves)")
print(note_of(found))

# %% [markdown]
# What does our hand bid at the first deal? Not where it expects most, but where it exceeds the
# bid's *price* by most. The price is what the pyramid loses by no longer having the bid: a hand
# that makes a 5 is rare, so it should not be wasted on a 4.

# %%
prices = found.prices[found.states.full]
print("bid  expects  price  difference")
for bid in range(7):
    gain = points[bid] - prices[bid]
    print(f"{bid:>3} {points[bid]:>8.1f} {prices[bid]:>6.1f} {gain:>+8.1f}")
print("it promises most with", int(points.argmax()))
print("the exact order bids", int((points - prices).argmax()))

# %% [markdown]
# How good is that? All ways of bidding below met the same 500 sequences of sixteen hands and were
# valued by the same table. The *ordering skill index* is 0 for the random order and 1 for the
# exact one.

# %%
from bidwise.train.run.plot_style import png  # noqa: E402
from bidwise.train.studies.report import dot_plots as dots  # noqa: E402
from bidwise.train.studies.report import spending_plots as plots  # noqa: E402

Image(png(dots.strategies_figure(found), dpi=90), width=860)

# %% [markdown]
# Two of these are lessons. *best-now* always bids what promises most and soon sits on the bids
# that nobody wants. *above-mean* compares each bid with what it brings on average, a rule of
# thumb that a player can keep, and comes close to the exact order.

# %%
Image(png(plots.bids_figure(found), dpi=90), width=860)

# %% [markdown]
# ## 4. What players want to know
#
# When is each bid spent, and what is an unspent one worth?

# %%
Image(png(plots.spending_figure(found), dpi=90), width=860)

# %%
Image(png(plots.prices_figure(found), dpi=90), width=860)

# %%
from bidwise.train.studies.report.answers import good_total, spare_bid, when_to_spend  # noqa: E402

Markdown(spare_bid(found, bid=3, after=9).markdown())

# %%
Markdown(when_to_spend(found).markdown())

# %%
Markdown(good_total(found, 110).markdown())

# %%
Image(png(plots.totals_figure(found, 110), dpi=90), width=860)

# %% [markdown]
# At last, one pyramid in the exact order: hands and outcomes are drawn, bids and trumps are not.

# %%
from bidwise.train.studies.report.example_pyramid import deals_text, play_pyramid, pyramid_text  # noqa: E402

deals = play_pyramid(found, seed=3)
print(deals_text(deals))
print()
print(pyramid_text(deals, table.rules.quota, "One pyramid in the exact order"))

# %% [markdown]
# Other players, rules or agents: `bidwise study --players 2 --rules piramida --agents basic`, or
# `--declarer basic --defenders basic` for values from play instead of open hands.
