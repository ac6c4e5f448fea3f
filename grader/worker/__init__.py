"""The untrusted side: zygote, sandboxes, serve loop. Nothing here is secret."""
