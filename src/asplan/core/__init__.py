"""The foundation of all packages: plain data, text, files, the registry, the worker process."""
