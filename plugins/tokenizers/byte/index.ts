import type { Factory, TokenizedText, Tokenizer } from '../../../core/kit.ts';
import { createRunningTotal, utf16Units } from '../../toolkit/running-total.ts';
import type manifest from './manifest.ts';

/** Opens `byte`: one token per byte of UTF-8. A lone surrogate takes the three bytes of U+FFFD. */
const createByteTokenizers: Factory<typeof manifest> = () => ({
  names: () => [byte.name],
  open: async (name) => (name === byte.name ? byte : undefined),
});

export default createByteTokenizers;

const byte: Tokenizer = { name: 'byte', tokenize: createByteText };

const BYTES_OF_PAIR = 4;
const BYTES_OF_HALF = 3;

function createByteText(text: string): TokenizedText {
  const units = utf16Units(text);
  const bytesIn = createRunningTotal(units.length, (start, end) => {
    let bytes = 0;
    for (let at = start; at < end; at++) bytes += bytesAt(units, at);
    return bytes;
  });

  return {
    /** If the span cuts a surrogate pair, the half in the span counts as a lone surrogate. */
    count(start, end) {
      if (end <= start) return 0;
      const cutAtStart = isPair(units, start - 1) ? BYTES_OF_HALF : 0;
      const cutAtEnd = isPair(units, end - 1) ? BYTES_OF_PAIR - BYTES_OF_HALF : 0;
      return bytesIn(start, end) + cutAtStart - cutAtEnd;
    },

    ends() {
      const ends = new Uint32Array(bytesIn(0, units.length));
      let token = 0;
      for (let at = 0; at < units.length; at++) {
        const bytes = bytesAt(units, at);
        ends.fill(isPair(units, at) ? at + 2 : at + 1, token, token + bytes);
        token += bytes;
      }
      return ends;
    },
  };
}

/** UTF-8 bytes of the code point that begins at `at`; 0 at the second surrogate of a pair. */
function bytesAt(units: Uint16Array, at: number): number {
  const unit = units[at] as number;
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  if ((unit & 0xf800) !== 0xd800) return 3;
  if (isPair(units, at)) return BYTES_OF_PAIR;
  return isPair(units, at - 1) ? 0 : BYTES_OF_HALF;
}

function isPair(units: Uint16Array, at: number): boolean {
  return ((units[at] as number) & 0xfc00) === 0xd800 && ((units[at + 1] as number) & 0xfc00) === 0xdc00;
}
