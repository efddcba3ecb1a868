"""What a Python user calls: `solving`, `checking`, `measuring`, `exploring`, `generating`.

`words` is what they share.
"""
