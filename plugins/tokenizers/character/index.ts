import type { Factory, TokenizedText, Tokenizer } from '../../../core/contracts.ts';

/** Opens `character`: one token per code point, where a lone surrogate is a code point of its own. */
const createCharacterTokenizers: Factory<'tokenizer'> = () => ({
  names: () => [character.name],
  open: async (name) => (name === character.name ? character : undefined),
});

export default createCharacterTokenizers;

const character: Tokenizer = {
  name: 'character',
  tokenize: (text) => (/[\ud800-\udfff]/.test(text) ? astralText(text) : plainText(text)),
};

/** A text without surrogates: every code unit is a token. */
function plainText(text: string): TokenizedText {
  return {
    count: (start, end) => end - start,
    ends: () => {
      const ends = new Uint32Array(text.length);
      for (let index = 0; index < ends.length; index++) ends[index] = index + 1;
      return ends;
    },
  };
}

/** A text with surrogates: pairs are counted up to checkpoints, and from there on when they are asked for. */
function astralText(text: string): TokenizedText {
  let checkpoints: Uint32Array | undefined;
  const pairsBefore = (offset: number): number => {
    checkpoints ??= countPairs(text);
    const checkpoint = Math.floor(offset / STEP);
    let pairs = checkpoints[checkpoint] as number;
    for (let index = checkpoint * STEP; index < offset; index++) pairs += pairAt(text, index);
    return pairs;
  };
  return {
    // A pair belongs to the place of its first half, so one that `end` cuts in two is not subtracted.
    count: (start, end) => (end > start ? end - start - pairsBefore(end - 1) + pairsBefore(start) : 0),
    ends: () => {
      const ends = new Uint32Array(text.length - pairsBefore(text.length));
      let offset = 0;
      for (let token = 0; token < ends.length; token++) {
        offset += 1 + pairAt(text, offset);
        ends[token] = offset;
      }
      return ends;
    },
  };
}

/** Code units between two checkpoints: the most that a query scans at each of its ends. */
const STEP = 64;

/** How many surrogate pairs start before each multiple of `STEP`. */
function countPairs(text: string): Uint32Array {
  const checkpoints = new Uint32Array(Math.floor(text.length / STEP) + 1);
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    if (index % STEP === 0) checkpoints[index / STEP] = pairs;
    pairs += pairAt(text, index);
  }
  if (text.length % STEP === 0) checkpoints[text.length / STEP] = pairs;
  return checkpoints;
}

/** 1 where a surrogate pair starts at `index`, else 0. */
function pairAt(text: string, index: number): 0 | 1 {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    ? 1
    : 0;
}
