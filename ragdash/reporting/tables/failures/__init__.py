"""Tables about failures: the map of the queries, and the corpus seen from its failures."""
