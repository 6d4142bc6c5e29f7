import type { CutFinder } from '../../core/contracts/chunker.ts';
import { cutAtWhiteSpace } from '../../core/engine/cuts/cuts.ts';
import { cutAtDelimiters } from '../../core/engine/cuts/delimiters.ts';
import { countUpTo } from '../../core/engine/search.ts';
import { cutAtClauseEnds, cutAtSentenceEnds } from './prose/index.ts';

const SENTENCES = ['. ', '! ', '? ', '.\n', '!\n', '?\n', '.\r\n', '!\r\n', '?\r\n'];
const CLAUSES = [', ', '; ', ': ', ' - ', ' – ', ' — '];

/** Finders that divide the text between tags, best first. @param breaks delimiters that cut better than sentences */
export function createTextFinders(breaks: readonly string[]) {
  const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const code = [cutAtLines, cutAtWhiteSpace];
  const prose = [
    cutAtDelimiters(['\n\n', '\r\n\r\n', ...breaks]),
    cutAtSentenceEnds(SENTENCES),
    cutAtLines,
    cutAtClauseEnds(CLAUSES),
    cutAtWhiteSpace,
  ];
  return { prose, code };
}

/** Excludes cuts inside the stretches `[starts[i], ends[i])`. @param starts rising, as are `ends` */
export function sparing(find: CutFinder, starts: readonly number[], ends: readonly number[]): CutFinder {
  return (text, start, end) => {
    const kept: number[] = [];
    let next = countUpTo(ends, start);
    for (const cut of find(text, start, end)) {
      while ((ends[next] ?? Number.POSITIVE_INFINITY) <= cut) next++;
      if ((starts[next] ?? Number.POSITIVE_INFINITY) >= cut) kept.push(cut);
    }
    return kept;
  };
}
