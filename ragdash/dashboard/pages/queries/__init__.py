"""The Queries page: which queries fail, and what every run returned for one of them."""
