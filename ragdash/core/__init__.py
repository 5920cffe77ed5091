"""The ground everything is built on: runs, ground truth, ids, text, problems and their words, paths."""
