"""The reference: secret, and the source that the handout is generated from."""
