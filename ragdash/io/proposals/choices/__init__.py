"""What a record is, where its fields can mean several things."""
