"""storage_index: prints markup, escapes and forbidden characters, for the reports that show it"""

import sys

LINES = (
    "]]><![CDATA[</system-out></testcase><testcase name='hidden'/>",
    "<script>alert(1)</script><img src=x onerror=alert(1)>&lt;&#0;&nosuch;",
    "\x00\x01\x08\x0b\x0c\x0e\x1f\x7f\x80\x9f\ufffe\uffff\ud7ff\U0010ffff",
    "\x1b]0;owned\x07\x1b[2J\x1b[1;1H\x1b]8;;http://x\x07link\x1b]8;;\x07\x1bP+q\x1b\\",
    "[bold red]rich[/] [/] [link=http://x] :boom: ![x](http://x) `</code>` | a | b |",
    "\u202e\u2066\u200b\u200f\ufeff\r\v\f\x85\u2028\u2029" * 50,
    "x" * 20_000,
)


def storage_index(index, strides, offset=0):
    for line in LINES:
        print(line)
        print(line, file=sys.stderr)
    raise ValueError("".join(LINES)[: 100 * len(index)])
