"""A local page that follows files: each save of an encoding shows its effect.

`watching` notices changes of files, which `sources` shows and saves. `settings` describe a run,
`runs` does it under limits, and `workshop` is the process for one run at a time. `studio` collects
the news in `sections`, which `server` sends to browsers that have its token.
"""
