"""What a Python user calls; `inputs` is what the functions share."""
