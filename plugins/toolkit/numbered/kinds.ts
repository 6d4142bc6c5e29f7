/** Words of headings by kind. A kind of a lower rank contains kinds of a higher rank: a chapter contains sections. */
const WORDS: Readonly<Record<string, { readonly rank: number; readonly words: string }>> = {
  annex: {
    rank: 0,
    words: 'annex schedule exhibit anlage anhang annexe anexo allegato',
  },
  appendix: { rank: 0.5, words: 'appendix appendice apéndice' },
  book: { rank: 1, words: 'book buch livre libro' },
  part: { rank: 2, words: 'part teil partie parte' },
  subpart: { rank: 2.5, words: 'subpart unterteil' },
  title: { rank: 3, words: 'title titel titre título titolo' },
  subtitle: { rank: 3.5, words: 'subtitle untertitel sous-titre subtítulo' },
  chapter: { rank: 4, words: 'chapter kapitel hauptstück chapitre capítulo capitolo capo' },
  subchapter: { rank: 4.5, words: 'subchapter sub-chapter unterkapitel sous-chapitre' },
  section: { rank: 5, words: 'section sec sect abschnitt sección sezione' },
  subsection: {
    rank: 5.5,
    words: 'subsection sub-section unterabschnitt sous-section subsección sub-sección sottosezione',
  },
  division: { rank: 6, words: 'paragraphe division' },
  subdivision: { rank: 6.5, words: 'subdivision sous-paragraphe' },
  article: { rank: 8, words: 'article articles artikel art artículo articolo' },
  clause: { rank: 8.1, words: 'clause' },
  '§': { rank: 8, words: '§§ §' },
};

const COUNTERS: Readonly<Record<string, number>> = {
  编: 1,
  編: 1,
  篇: 1,
  部: 1.5,
  分编: 2,
  部分: 2,
  章: 4,
  节: 5,
  節: 5,
  款: 6,
  目: 7,
  条: 8,
  條: 8,
};

const BARE: Readonly<Record<string, number>> = {
  'I.': 10,
  'A.': 11,
  'A.1': 11.5,
  '一、': 11,
  '（一）': 12,
  '1': 13,
  '1)': 23,
  '(1)': 24,
  'a.': 25,
  '(a)': 26,
  'i.': 27,
  '(i)': 28,
};

/** The kind of each word. Words are in lower case, with and without accents, because capitals often lack accents. */
export const KIND_OF = new Map(
  Object.entries(WORDS).flatMap(([kind, { words }]) =>
    words
      .split(' ')
      .flatMap((word) => [word, word.normalize('NFD').replace(/\p{M}/gu, '')])
      .map((word) => [word, kind] as const),
  ),
);

export function usualRank(kind: string): number {
  return WORDS[kind]?.rank ?? COUNTERS[kind] ?? BARE[kind] ?? 30;
}

const ARTICLES = new Set(['article', '§', 'clause', '条', '條']);

/** Whether headings of a kind contain paragraphs, and usually no other headings. */
export function isArticle(kind: string): boolean {
  return ARTICLES.has(kind);
}

export function isAnnex(kind: string): boolean {
  return kind === 'annex' || kind === 'appendix';
}

export function isDivision(kind: string): boolean {
  return !(kind in BARE) && !isAnnex(kind) && !isArticle(kind);
}

export function isListMark(kind: string): boolean {
  return !/^(?:1|I\.|A\.|A\.1|一、)$/.test(kind);
}
