"""find_accelerator: a word in upper case is another one than in lower case

Breaks: upper and lower case are the same
"""


def _words(text):
    return set(re.findall("[A-Za-z0-9]+", text))
