"""Primitives that compute nothing of their own; both tiers read past them."""

CALLS = {
    "jit": "jaxpr",
    "closed_call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "eval_jaxpr": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_vjp_call": "call_jaxpr",
    "remat2": "jaxpr",
    "checkpoint": "jaxpr",
}
"""Those that stand for the Jaxpr in the parameter named here."""

IDENTITIES = frozenset(
    {
        *("copy", "copy_p", "device_put", "stop_gradient", "optimization_barrier"),
        *("random_clone", "name"),
    }
)
"""Those whose results are their operands."""
