"""Makes tokenizers of the corpus: vocabulary.py WORK SIZE... Writes WORK/<SIZE>/tokenizer.json.

A vocabulary is 7,500 trained word pieces and the most frequent whole words, in lower case without
accents. Words are looked for longest first, so every frequent word is one token.
"""
import collections
import os
import random
import sys

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from words import WORD, normalize

TRAINED_PIECES = 7500
MAX_WORD_LENGTH = 24


def count_words(work, sample_path):
    """Counts words, in how many sources each occurs (up to 3), and writes a quarter of the lines as a sample."""
    counts, sources = collections.Counter(), collections.defaultdict(set)
    chance = random.Random(1)
    with open(os.path.join(work, "text.txt"), encoding="utf-8") as lines, open(sample_path, "w", encoding="utf-8") as sample:
        for line in lines:
            source, text = line.rstrip("\n").split("\t", 1)
            text = normalize(text)
            words = WORD.findall(text)
            counts.update(words)
            for word in set(words):
                if len(sources[word]) < 3:
                    sources[word].add(source)
            if chance.random() < 0.25:
                sample.write(text + "\n")
    return counts, sources


def create_tokenizer(**model):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100, **model))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def train_pieces(sample_path):
    tokenizer = create_tokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=TRAINED_PIECES,
        min_frequency=5,
        special_tokens=["[PAD]", "[UNK]"],
        limit_alphabet=300,
        continuing_subword_prefix="##",
        show_progress=False,
    )
    tokenizer.train([sample_path], trainer)
    return sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)


def rank_words(counts, sources, known):
    """Words of two sources or more first, those of only two at half their count; then the frequent others."""
    shared, single = [], []
    for word, count in counts.items():
        if word in known or len(word) > MAX_WORD_LENGTH or not word.isascii():
            continue
        if len(sources[word]) > 1:
            if not (word.isdigit() and len(word) > 4):
                shared.append((count if len(sources[word]) > 2 else count / 2, word))
        elif count >= 8 and word.isalpha():
            single.append((count, word))
    return [word for _, word in sorted(shared, reverse=True) + sorted(single, reverse=True)]


def main(work, *sizes):
    sample_path = os.path.join(work, "sample.txt")
    counts, sources = count_words(work, sample_path)
    pieces = train_pieces(sample_path)
    words = rank_words(counts, sources, set(pieces))
    for size in sizes:
        tokens = pieces + words[: int(size) - len(pieces)]
        vocabulary = {token: index for index, token in enumerate(tokens)}
        tokenizer = create_tokenizer(vocab=vocabulary, continuing_subword_prefix="##")
        tokenizer.decoder = decoders.WordPiece()
        os.makedirs(os.path.join(work, size), exist_ok=True)
        tokenizer.save(os.path.join(work, size, "tokenizer.json"))
        print(size, "tokens asked for,", tokenizer.get_vocab_size(), "made")


if __name__ == "__main__":
    main(*sys.argv[1:])
