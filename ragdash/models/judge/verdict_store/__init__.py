"""Keeps every verdict of a judge, so that nothing is paid twice."""
