"""find_accelerator: letters beyond ASCII are part of words"""


def _words(text):
    return set(re.findall(r"[^\W_]+", text.lower()))
