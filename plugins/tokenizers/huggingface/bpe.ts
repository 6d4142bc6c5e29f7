import { createMerger } from './bpe-merger.ts';
import type { BpeFile } from './tokenizer-file.ts';
import { createWordBuilder, hasInnerMetaspace, type Model } from './word.ts';

/** Byte pair encoding: merges the best pair until there is none, then looks the parts up. */
export function createBpe(file: BpeFile): Model {
  const { vocabulary, unknownToken, endOfWordSuffix, continuingSuffix } = file;
  const unknownId = unknownToken === undefined ? undefined : vocabulary.get(unknownToken);
  const merge = createMerger(file.merges, endOfWordSuffix);
  const byteIds = file.byteFallback ? byteTokenIds(vocabulary) : undefined;

  return {
    fusesUnknown: file.fusesUnknown,
    cutsAtMetaspace:
      endOfWordSuffix === '' &&
      continuingSuffix === '' &&
      !file.merges.some(([left, right]) => hasInnerMetaspace(left + right)) &&
      !(file.ignoresMerges && [...vocabulary.keys()].some(hasInnerMetaspace)),
    read(word) {
      const tokens = createWordBuilder(file.fusesUnknown);
      const wholeId = file.ignoresMerges ? vocabulary.get(word) : undefined;
      if (wholeId !== undefined) {
        tokens.add(word.length, wholeId, wholeId === unknownId);
        return tokens.word();
      }
      let start = 0;
      for (const end of merge(word)) {
        const suffix = end === word.length ? endOfWordSuffix : continuingSuffix;
        const part = word.slice(start, end);
        const id = vocabulary.get(part + suffix);
        if (id !== undefined) tokens.add(end, id, id === unknownId);
        else if (byteIds && isSpelledByBytes(part + suffix, byteIds)) {
          const bytes = Buffer.from(part + suffix);
          byteEnds(part, suffix).forEach((byteEnd, index) => {
            tokens.add(start + byteEnd, byteIds[bytes[index] as number], false);
          });
        } else if (unknownToken !== undefined) tokens.add(end, unknownId, true);
        start = end;
      }
      return tokens.word();
    },
  };
}

/** The ids of `<0x00>` to `<0xFF>`, `undefined` where the vocabulary has none. */
function byteTokenIds(vocabulary: ReadonlyMap<string, number>): (number | undefined)[] {
  return Array.from({ length: 256 }, (_, byte) =>
    vocabulary.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
}

const isSpelledByBytes = (part: string, ids: readonly (number | undefined)[]): boolean =>
  Buffer.from(part).every((byte) => ids[byte] !== undefined);

/** For each byte of a part and its suffix, the end of the code point that it belongs to. */
function byteEnds(part: string, suffix: string): number[] {
  const ends: number[] = [];
  let end = 0;
  for (const point of part) {
    end += point.length;
    for (let byte = Buffer.byteLength(point); byte > 0; byte--) ends.push(end);
  }
  for (let byte = Buffer.byteLength(suffix); byte > 0; byte--) ends.push(end);
  return ends;
}
