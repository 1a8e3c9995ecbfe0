"""The product against the reference, against OpenSpiel, and against recorded deals."""
