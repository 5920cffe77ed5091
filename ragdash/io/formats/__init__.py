"""The file formats, one file each."""
