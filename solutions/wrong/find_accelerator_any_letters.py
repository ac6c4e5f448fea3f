"""find_accelerator: letters beyond ASCII are part of words

Breaks: Words are runs of ASCII letters and digits
"""


def _words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))
