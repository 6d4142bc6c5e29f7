"""Batches of pairs of one group of sources each."""
import numpy as np
import torch

DROPPED_WORDS = 0.1
MAX_INTENTS = 6000
GROUP_POWER = 0.7

GOVERNMENT = {
    "GSA+digitalgov.gov",
    "18F+18f.gsa.gov",
    "18F+handbook",
    "github+opensource.guide",
    "GSA+plainlanguage.gov",
    "department-of-veterans-affairs+vagov-content",
}


def group_of(source, kind):
    """Pairs of one batch are each other's wrong answers, so they come from texts of one sort."""
    if kind == "intent":
        return "intents"
    if source == "wordnet" or kind == "gloss":
        return "lexical"
    if source in GOVERNMENT:
        return "government"
    if source in ("openstax", "medquad"):
        return source
    return "technical" if "+" in source or source == "tldr" else "general"


class Batches:
    def __init__(self, pairs, kinds, size, longest, random):
        self.ids, self.offsets = pairs["ids"], pairs["offsets"]
        self.size, self.longest, self.random = size, longest, random
        self.groups = self.sort(pairs["sources"], pairs["kinds"], kinds)
        self.names = sorted(self.groups)
        shares = np.array([len(self.groups[name]) ** GROUP_POWER for name in self.names])
        self.shares = shares / shares.sum()
        self.positions = dict.fromkeys(self.names, 0)

    def sort(self, sources, kinds, wanted):
        groups, intents = {}, 0
        for index in self.random.permutation(len(sources)):
            kind = kinds[index]
            if wanted and kind not in wanted:
                continue
            intents += kind == "intent"
            if kind != "intent" or intents <= MAX_INTENTS:
                groups.setdefault(group_of(sources[index], kind), []).append(index)
        return {name: np.array(indices) for name, indices in groups.items()}

    def next(self):
        """The ids of one batch, first all of one side and then of the other; and where each text starts."""
        name = self.names[self.random.choice(len(self.names), p=self.shares)]
        group, start = self.groups[name], self.positions[name]
        count = min(self.size, len(group))
        if start + count > len(group):
            self.random.shuffle(group)
            start = 0
        self.positions[name] = start + count
        chosen = group[start : start + count]
        (ones, one_starts), (others, other_starts) = self.side(2 * chosen), self.side(2 * chosen + 1)
        ids, starts = np.concatenate([ones, others]), np.concatenate([one_starts, other_starts + len(ones)])
        return count, torch.from_numpy(ids.astype(np.int64)), torch.from_numpy(starts.astype(np.int64))

    def side(self, texts):
        """Ids of texts, some dropped by chance but never the first of a text."""
        first = self.offsets[texts]
        lengths = np.minimum(self.offsets[texts + 1] - first, self.longest)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        ids = self.ids[np.repeat(first - starts[:-1], lengths) + np.arange(starts[-1])]
        kept = self.random.random(len(ids)) >= DROPPED_WORDS
        kept[starts[:-1]] = True
        counts = np.bincount(np.repeat(np.arange(len(texts)), lengths)[kept], minlength=len(texts))
        return ids[kept], np.concatenate([[0], np.cumsum(counts)])[:-1]
