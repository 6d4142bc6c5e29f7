import type { TokenizedText } from '../../../../../core/contracts/tokenizer.ts';
import type { Random } from '../../../../soak/tokenizer-shapes.ts';
import { fuzzedText, pick } from './fuzz.ts';
import type { Oracle } from './open.ts';

const MAX_SPAN_LENGTH = 600;

/** Texts in which white space, line ends and long runs meet the edges of spans often. */
export function spanText(random: Random): string {
  const gaps = [...' \n\t\u3000', '  ', '\n\n', ' \n ', '\r\n', '    \n', ' '.repeat(40), '\n'.repeat(9)];
  let text = '';
  while (text.length < 3000) text += fuzzedText(random) + pick(random, gaps).repeat(random(3));
  return text;
}

type Spans = Iterable<[start: number, end: number]>;

export function wrongCounts(text: string, tokenized: TokenizedText, oracle: Oracle, spans: Spans) {
  const counts = Iterator.from(spans).map(([start, end]) => {
    const span = text.slice(start, end);
    return { start, end, span, found: tokenized.count(start, end), expected: oracle.count(span) };
  });
  return [...counts.filter(({ found, expected }) => found !== expected).take(5)];
}

export function* randomSpans(random: Random, length: number, spans: number): Spans {
  for (let left = spans; left > 0; left -= 1) {
    const start = random(length);
    yield [start, Math.min(length, start + random(pick(random, [12, 60, MAX_SPAN_LENGTH])))];
  }
}

export function* allSpans(length: number): Spans {
  for (let start = 0; start < length; start += 1)
    for (let end = start; end <= length; end += 1) yield [start, end];
}

/** As chunkers ask: every small span in order, then joined ones. */
export function* risingSpans(random: Random, length: number): Spans {
  const cuts = [0];
  for (let cut = 0; cut < length; cuts.push(cut)) cut = Math.min(length, cut + 1 + random(80));
  for (const most of [1, 4])
    for (const [at, end] of cuts.slice(most).entries()) yield [cuts[at] as number, end];
}
