import type { Test } from 'tap';
import { findSentences } from '../../../../plugins/toolkit/prose/find-sentences.ts';

/** The sentences of a text by the rules of prose. */
export function sentencesOf(text: string, lang = 'en'): string[] {
  const cuts = findSentences(text, lang);
  return [...cuts, text.length].map((cut, index) => text.slice(cuts[index - 1] ?? 0, cut));
}

/** Holds that sentences end at the marks `|` of a text, and nowhere else. */
export function checkSentences(t: Test, marked: string, lang?: string): void {
  const sentences = marked.split('|');
  t.same(sentencesOf(sentences.join(''), lang), sentences);
}
