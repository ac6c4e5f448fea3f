"""An upload in, a package out."""
