"""To Jaxprs and from them."""
