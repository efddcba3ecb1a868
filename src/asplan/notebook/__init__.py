"""How answers look in a notebook, become data frames when somebody looks, and how far a call is."""
