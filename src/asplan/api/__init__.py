"""What a Python user calls: `solving`, `checking`, `measuring`, `exploring`.

`words` is what they share.
"""
