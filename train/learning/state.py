"""What a learner's future depends on beside its network: tables, random streams, averages."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

__all__ = ["Arrays", "give_back", "learned", "relearn", "take"]

Arrays = dict[str, NDArray[Any]]

_POLICY, _MOMENTS, _ENV = "policy.", "optimizer.", "env."
_TORCH, _NUMPY, _POSITION = "random.torch", "random.numpy", "random.numpy_position"
_STARTS, _EPISODES = "episode_starts", "episodes"
_EPISODE = ("r", "l", "t")


def learned(model: MaskablePPO) -> Arrays:
    """The network and Adam's moments."""
    arrays = {_POLICY + name: _array(value) for name, value in model.policy.state_dict().items()}
    optimizer: dict[str, Any] = model.policy.optimizer.state_dict()
    for number, moments in optimizer["state"].items():
        for kind, value in moments.items():
            arrays[f"{_MOMENTS}{number}.{kind}"] = _array(value)
    return arrays


def take(model: Any) -> Arrays:
    """Everything else, as it is between two updates: copies, which stay as they are.

    Python's own stream is not among it: nothing draws from it.
    """
    numpy_stream: Any = np.random.get_state()  # noqa: NPY002  # SB3 shuffles with this one
    arrays = {_ENV + name: array for name, array in model.env.snapshot().items()}
    arrays[_STARTS] = np.array(model._last_episode_starts, np.bool_)
    arrays[_EPISODES] = np.array(
        [[float(one[key]) for key in _EPISODE] for one in model.ep_info_buffer], np.float64
    ).reshape(-1, len(_EPISODE))
    arrays[_TORCH] = torch.get_rng_state().numpy().copy()
    arrays[_NUMPY] = np.array(numpy_stream[1], np.uint32)
    arrays[_POSITION] = np.array([numpy_stream[2]], np.int64)
    return arrays


def relearn(model: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Give a model the network and the moments that `learned` found.

    Raises:
        ValueError: of another network; nothing was changed.
    """
    policy = model.policy
    parameters = list(policy.parameters())
    expected = {_POLICY + name: _kind(_array(v)) for name, v in policy.state_dict().items()}
    found = {n: _kind(a) for n, a in arrays.items() if n.startswith((_POLICY, _MOMENTS))}
    if any(name.startswith(_MOMENTS) for name in found):
        for number, parameter in enumerate(parameters):
            shape = _kind(_array(parameter))
            expected[f"{_MOMENTS}{number}.step"] = ((), np.dtype(np.float32))
            expected[f"{_MOMENTS}{number}.exp_avg"] = shape
            expected[f"{_MOMENTS}{number}.exp_avg_sq"] = shape
    _compare(found, expected)
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for name in found:
        if name.startswith(_MOMENTS):
            number_text, kind = name.removeprefix(_MOMENTS).split(".")
            moments.setdefault(int(number_text), {})[kind] = torch.tensor(arrays[name])
    policy.load_state_dict(
        {n.removeprefix(_POLICY): torch.tensor(arrays[n]) for n in found if n.startswith(_POLICY)}
    )
    state: dict[str, Any] = policy.optimizer.state_dict()
    policy.optimizer.load_state_dict({**state, "state": moments})


def give_back(model: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Give a model built by the same settings what `take` took.

    Raises:
        ValueError: it was taken from another kind of model.
    """
    others = {n: a for n, a in arrays.items() if not n.startswith((_POLICY, _MOMENTS, _ENV))}
    episodes = others.get(_EPISODES, np.zeros((0, 0)))
    most = model._stats_window_size
    _compare(
        {name: _kind(array) for name, array in others.items()},
        {
            _STARTS: ((model.n_envs,), np.dtype(np.bool_)),
            _EPISODES: ((min(len(episodes), most), len(_EPISODE)), np.dtype(np.float64)),
            _TORCH: _kind(torch.get_rng_state().numpy()),
            _NUMPY: ((624,), np.dtype(np.uint32)),
            _POSITION: ((1,), np.dtype(np.int64)),
        },
    )
    position = int(others[_POSITION][0])
    if not 0 <= position <= 624:
        raise ValueError(f"{_POSITION} is {position}, expected 0..624")
    model._last_obs = model.env.restore(
        {n.removeprefix(_ENV): a for n, a in arrays.items() if n.startswith(_ENV)}
    )
    model._last_episode_starts = others[_STARTS].copy()
    model.ep_info_buffer = deque(
        ({"r": float(r), "l": int(n), "t": float(t)} for r, n, t in episodes), maxlen=most
    )
    model.ep_success_buffer = deque(maxlen=most)
    torch.set_rng_state(torch.tensor(others[_TORCH]))
    np.random.set_state(  # noqa: NPY002  # SB3 shuffles with the global stream
        ("MT19937", others[_NUMPY], position, 0, 0.0)
    )


def _array(value: torch.Tensor) -> NDArray[Any]:
    array: NDArray[Any] = value.detach().cpu().contiguous().numpy()
    return array


def _kind(array: NDArray[Any]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    return array.shape, array.dtype


def _compare(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name in sorted(found.keys() ^ expected.keys()):
        raise ValueError(f"{name} is {'missing' if name in expected else 'unknown here'}")
    for name, (shape, kind) in expected.items():
        if found[name] != (shape, kind):
            got_shape, got_kind = found[name]
            raise ValueError(
                f"{name} is {got_kind} of shape {got_shape}, expected {kind} of shape {shape}"
            )
