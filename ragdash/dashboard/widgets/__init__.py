"""Single elements on a page: titles, problems, charts, downloads."""
