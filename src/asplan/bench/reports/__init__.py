"""What results say: `report` makes a page of one folder, `differences` sets two beside each other.

`values` reads the records into tables; `statistics` and `disagreements` are figures of them,
`charts` pictures. `contents` puts these in order, and `report` writes them as HTML and Markdown.
"""
