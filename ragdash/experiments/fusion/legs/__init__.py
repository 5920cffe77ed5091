"""What each run gives to a fused system: its price, and the relevant documents that it alone brings."""
