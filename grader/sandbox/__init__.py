"""What locks a worker down, layer by layer, and the tiers."""
