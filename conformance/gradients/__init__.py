"""HIPS/autograd's own tests with jujunp in its place: `python -m conformance.gradients`.

The suite is the folder tests/ of the checkout of HIPS/autograd that AUTOGRAD_DIR names; nothing is
fetched. `autograd.numpy` is jujunp there, and `autograd.grad` and its like are made of jujunp's
(`standins.py`). What only tests with (`autograd.test_util`, which compares with differences) is the
checkout's. Out of scope is `autograd.scipy`, as jujunp has no scipy.

It writes docs/autograd.md, and exits with 1 if a test fails for a reason that is not in
`reasons.py`, with 2 if the suite cannot be run.
"""
