from .benchmarks.command import Bench, bench
from .compare.duplicate import Comparison, duplicate
from .compare.evaluate import Evaluate, evaluate
from .compare.intervals import Estimate, mean_interval, share_interval
from .compare.skill import skill_index
from .learning.config import TrainConfig
from .learning.training import Trained, train
from .learning.vec_env import SeatVecEnv
from .outcomes.command import BuildOutcomes, build_outcomes
from .run.chunks import Chunks
from .studies.analysis.agent_declarations import agent_declarations
from .studies.command import Study, study

__all__ = [
    "Bench",
    "BuildOutcomes",
    "Chunks",
    "Comparison",
    "Estimate",
    "Evaluate",
    "SeatVecEnv",
    "Study",
    "TrainConfig",
    "Trained",
    "agent_declarations",
    "bench",
    "build_outcomes",
    "duplicate",
    "evaluate",
    "mean_interval",
    "share_interval",
    "skill_index",
    "study",
    "train",
]
