"""What results say: `report` makes a page of one folder, `differences` sets two beside each other.

`values` reads the records into tables; `statistics`, `difficulty` and `disagreements` are figures
of them, `charts` pictures in the colours of `looks`; `contents` puts these in order, and `page` and
`markdown` write them out. `sameness` tells whether two results are of one suite.
"""
