"""The foundation of all rooms: plain data, text, files, the registry, the worker process."""
