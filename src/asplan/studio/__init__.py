"""A local page that follows files: each time an encoding is saved, it is run and the effect shown.

`watching` notices changes of files; `sources` shows and saves files. `settings` describes a run,
`runs` carries it out under limits, and `workshop` is the process for one run at a time. `studio`
turns the news of runs into the page's `sections`, which `server` sends to browsers that have the
token of its address.
"""
