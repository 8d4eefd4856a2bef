"""Mathematical functions that are more than one ufunc."""
