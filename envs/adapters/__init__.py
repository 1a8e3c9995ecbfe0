"""The games as PettingZoo and Gymnasium want them."""
