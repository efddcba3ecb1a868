"""How answers look in a notebook (`pages`), how they become data frames (`frames`), and a bar that
says how far a call is (`progress`). Pages and frames are imported when somebody looks.
"""
