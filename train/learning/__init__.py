"""Training a network: settings, the tables as a VecEnv, checkpoints, curves, publishing."""
