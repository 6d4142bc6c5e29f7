import type { CutFinder } from '../../contracts/chunker.ts';
import { lexiconOf } from './abbreviations.ts';
import { SPACE, unitClasses } from './characters.ts';
import { addEnds } from './ends.ts';
import { itemStarts } from './items.ts';
import { stretchesOf } from './lines.ts';
import type { Prose } from './place.ts';

/**
 * Cuts where sentences of prose end, by rules: of abbreviations, initials, numbers and ellipses in a language
 * (BCP 47), of quotation marks and brackets, which stay with their sentence, of line breaks, which end a sentence only
 * where a paragraph, an item, a heading or a verse ends, and of the marks of all scripts. White space goes with
 * the sentence before it, the indentation of a line with the sentence after it. Takes time linear in the text.
 */
export function cutAtSentences(lang: string): CutFinder {
  return (text, start, end) => findSentences(text.slice(start, end), lang).map((cut) => start + cut);
}

function findSentences(text: string, lang: string): number[] {
  const prose: Prose = { text, classes: unitClasses(), lexicon: lexiconOf(lang) };
  const cuts: number[] = [];
  const { starts, areProse } = stretchesOf(text);
  for (let index = 0; index < starts.length; index++) {
    const [start, end] = [starts[index] as number, starts[index + 1] ?? text.length];
    if (index > 0) cuts.push(start);
    if (areProse[index]) addSentences(cuts, prose, start, end);
  }
  return SPACED_SCRIPTS.test(text) ? withPhrases(text, cuts) : cuts;
}

function addSentences(cuts: number[], prose: Prose, start: number, end: number): void {
  let from = start;
  for (const place of itemStarts(prose.text.slice(start, end))) {
    addEnds(cuts, prose, from, start + place);
    from = start + place;
    cuts.push(from);
  }
  addEnds(cuts, prose, from, end);
}

/** Thai and Lao, which have no marks at the ends of sentences, and spaces between phrases only. */
const SPACED_SCRIPTS = /[\u0e00-\u0eff]/;
/** A phrase of fewer units goes with the next one. */
const LONG_ENOUGH = 60;

/** The same cuts, and more between the phrases of long sentences in scripts without marks. */
function withPhrases(text: string, cuts: readonly number[]): number[] {
  const classes = unitClasses();
  const all: number[] = [];
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    for (let at = from + LONG_ENOUGH; at < cut; at++) {
      if (!isSpaced(text.charCodeAt(at)) || classes[text.charCodeAt(at - 1)] !== SPACE) continue;
      if (at - from < LONG_ENOUGH) continue;
      all.push(at);
      from = at;
    }
    if (cut < text.length) all.push(cut);
    from = cut;
  }
  return all;
}

/** Whether a unit is one of `SPACED_SCRIPTS`. */
function isSpaced(unit: number): boolean {
  return unit >= 0x0e00 && unit <= 0x0eff;
}
