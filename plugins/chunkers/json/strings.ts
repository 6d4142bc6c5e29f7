import type { CutFinder } from '../../../core/contracts/chunker.ts';
import type { TokenizedText } from '../../../core/contracts/tokenizer.ts';
import type { Kit } from '../../../core/kit.ts';
import { escapeLength } from './scalars.ts';
import { BACKSLASH } from './tokens.ts';

/** How a value is cut that is too large: a string at its lines, sentences, clauses and words, then between tokens. */
export function finderList(kit: Kit, tokens: TokenizedText): readonly CutFinder[] {
  return [
    kit.cutAtDelimiters(['\\n', '\n']),
    kit.cutAtDelimiters(['. ', '! ', '? ', '。', '！', '？']),
    kit.cutAtDelimiters([', ', '; ', ': ', '，', '；', '、']),
    kit.cutAtWhiteSpace,
    cutBesideEscapes(kit, tokens),
  ];
}

/** Cuts between tokens, but not within an escape. */
function cutBesideEscapes({ cutAtOffsets }: Kit, tokens: TokenizedText): CutFinder {
  let find: CutFinder | undefined;
  return (text, start, end) => {
    find ??= cutAtOffsets(tokens.ends());
    return withoutEscapes(text, start, find(text, start, end));
  };
}

/** The cuts that do not lie within an escape; the stretch does not begin within one. */
function withoutEscapes(text: string, start: number, cuts: readonly number[]): number[] {
  let at = start;
  return cuts.filter((cut) => {
    while (at < cut) at += text.charCodeAt(at) === BACKSLASH ? escapeLength(text, at) : 1;
    return at === cut;
  });
}
