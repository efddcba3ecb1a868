"""A local page that follows the files: save an encoding, and see what it does.

`sources` says when a file has changed, `settings` what is to be done with the files, `runs` does
it under limits, one run at a time in a process of its own. What comes of it `studio` keeps in
sections, which `server` shows to browsers that know its token.
"""
