"""Reads tables: headers, cells, white space, workbooks."""
