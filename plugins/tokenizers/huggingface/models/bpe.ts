import type { BpeConfig } from '../file/tokenizer-file.ts';
import { createMerger } from './bpe-merger.ts';
import { createWordBuilder, hasInnerMetaspace, type WordBuilder, type WordModel } from './word.ts';

/** Byte pair encoding: merges the best pair until there is none, then looks the parts up. */
export function createBpe(config: BpeConfig): WordModel {
  const { vocabulary, unknownToken, fusesUnknown } = config;
  const unknownId = unknownToken === undefined ? undefined : vocabulary.get(unknownToken);
  const merge = createMerger(config.merges, config.endOfWordSuffix);
  const byteIds = config.byteFallback ? byteTokenIds(vocabulary) : undefined;

  return {
    fusesUnknown,
    cutsAtMetaspace: canCutAtMetaspace(config),
    read(word) {
      const tokens = createWordBuilder(fusesUnknown);
      const wholeId = config.ignoresMerges ? vocabulary.get(word) : undefined;
      if (wholeId !== undefined) {
        tokens.add(word.length, wholeId, wholeId === unknownId);
        return tokens.word();
      }
      let start = 0;
      for (const end of merge(word)) {
        const suffix = end === word.length ? config.endOfWordSuffix : config.continuingSuffix;
        const part = word.slice(start, end);
        const id = vocabulary.get(part + suffix);
        if (id !== undefined) tokens.add(end, id, id === unknownId);
        else if (byteIds && isSpelledByBytes(part + suffix, byteIds))
          addBytes(tokens, start, part, suffix, byteIds);
        else if (unknownToken !== undefined) tokens.add(end, unknownId, true);
        start = end;
      }
      return tokens.word();
    },
  };
}

function canCutAtMetaspace({ endOfWordSuffix, continuingSuffix, ...config }: BpeConfig): boolean {
  return (
    endOfWordSuffix === '' &&
    continuingSuffix === '' &&
    !config.merges.some(([left, right]) => hasInnerMetaspace(left + right)) &&
    !(config.ignoresMerges && [...config.vocabulary.keys()].some(hasInnerMetaspace))
  );
}

/** Adds a token for each byte of a part that begins at `start`, and of its suffix. */
function addBytes(
  tokens: WordBuilder,
  start: number,
  part: string,
  suffix: string,
  byteIds: readonly (number | undefined)[],
): void {
  const bytes = Buffer.from(part + suffix);
  byteEnds(part, suffix).forEach((end, index) => {
    tokens.add(start + end, byteIds[bytes[index] as number], false);
  });
}

/** The ids of `<0x00>` to `<0xFF>`, `undefined` if the vocabulary has none. */
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
