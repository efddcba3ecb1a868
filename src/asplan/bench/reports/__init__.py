"""What results say: `report` makes a page of one folder, `differences` sets two beside each other.

`statistics` reads the records into tables and finds figures of them, `disagreements` what cannot
be right; `charts` are pictures.
"""
