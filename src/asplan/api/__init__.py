"""What a Python user calls: `solving`, `measuring`, `exploring`; `words` is what they share."""
