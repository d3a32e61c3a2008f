"""What computes: one engine serves one stage, behind the seam of `base.py`."""
