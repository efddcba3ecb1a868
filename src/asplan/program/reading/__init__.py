"""From files to units: text, facts, scripts, comments and contracts, and the errors in them."""
