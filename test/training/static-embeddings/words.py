"""Words as the tokenizer reads them."""
import re
import unicodedata

WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def normalize(text):
    """Lower case without accents."""
    text = text.lower()
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
