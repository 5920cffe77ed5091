"""The What-if page: would a hybrid of the runs be better, which, and how sure is that?"""
