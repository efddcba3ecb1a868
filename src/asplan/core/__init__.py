"""What all rooms stand on: plain data, text and files, the registry, and the worker process.

`plan` is what engines answer, `errors` and `limits` how work ends; `text`, `files`
and `facts` come from outside; `registry` knows the entry points, `process` the supervised worker.
"""
