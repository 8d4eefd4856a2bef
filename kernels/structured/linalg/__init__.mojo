"""Linear algebra by LAPACK."""
