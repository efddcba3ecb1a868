"""What all rooms stand on: plain data, text and files, the registry, and the worker process."""
