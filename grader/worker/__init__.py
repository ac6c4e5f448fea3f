"""The untrusted side: zygote, lockdown, serve loop. Nothing here is secret."""
