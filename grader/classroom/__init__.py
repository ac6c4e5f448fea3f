"""Grades a class: many submissions, one mark for each student of the roster.

`roster` says who handed in what, `folder` holds what was graded, `run` grades what is not there
yet, `marks` derives the tables. Only staff's machines need this package.
"""
