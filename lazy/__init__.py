"""The engine: pending values, plans, the two tiers that run them, and the store."""
