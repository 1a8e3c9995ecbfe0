"""``python -m bidwise.train`` is the command `bidwise`."""

from bidwise.train.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
