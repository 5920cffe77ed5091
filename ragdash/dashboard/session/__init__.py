"""The choices of one visitor, and the data that all visitors share."""
