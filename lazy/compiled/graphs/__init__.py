"""Steps built as MAX graphs."""
