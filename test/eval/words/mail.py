"""Prints what `email` of Python finds in messages and mailboxes that a mail program shows, as JSON: subjects and bodies of each file.

Not listed is what `email` cannot decode: bytes that do not fit their declared encoding, or are UTF-8 although another one
is declared, messages in UTF-16, messages in base64, files in uuencode, and the later pieces of a message sent in pieces.
"""

import email
import email.policy
import json
import mailbox
import re
import sys

UUENCODED = re.compile(r"^begin [0-7]{3,4} .+?^end$", re.MULTILINE | re.DOTALL)


def read(message):
    found.append({"isHtml": False, "text": str(message["subject"] or "")})
    body(message)


def body(part):
    kind = part.get_content_type()
    if kind == "message/rfc822":
        if part["content-transfer-encoding"] != "base64":
            for inner in part.get_payload():
                read(inner)
    elif kind == "message/partial" and part.get_param("number") == "1":
        read(part.get_payload(0))
    elif kind.startswith("message/"):
        return
    elif part.is_multipart():
        parts = part.get_payload()
        if kind == "multipart/alternative":
            parts = [max(reversed(parts), key=rank)]
        for inner in parts:
            body(inner)
    elif part.get_content_disposition() != "attachment" and kind in ("text/plain", "text/html"):
        text = decoded(part)
        if text is not None:
            found.append({"isHtml": kind == "text/html", "text": text})


def rank(part):
    kinds = [inner.get_content_type() for inner in part.walk()]
    return ("text/html" in kinds) * 2 + ("text/plain" in kinds)


def decoded(part):
    content = part.get_payload(decode=True)
    charset = part.get_content_charset() or "ascii"
    try:
        text = content.decode(charset)
        if content.isascii() or charset.startswith("utf") or not is_utf8(content):
            return UUENCODED.sub("", text)
    except (LookupError, UnicodeError):
        pass
    return None


def is_utf8(content):
    try:
        content.decode("utf-8")
        return True
    except UnicodeError:
        return False


def parse(file):
    return email.message_from_binary_file(file, policy=email.policy.default)


bodies = {}
for path in sys.argv[1:]:
    found = bodies[path] = []
    if path.endswith(".mbox"):
        for message in mailbox.mbox(path, parse):
            read(message)
    else:
        with open(path, "rb") as file:
            if b"\0" not in file.peek(100)[:100]:
                read(parse(file))
json.dump(bodies, sys.stdout)
