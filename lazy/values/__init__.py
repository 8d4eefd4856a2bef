"""Values and the log, layouts, dtypes."""
