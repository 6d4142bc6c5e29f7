import type { TokenizedText } from '../../core/contracts/tokenizer.ts';
import { createRunningTotal, utf16Units } from './running-total.ts';

/**
 * A text whose tokens are separated by a single code unit. Each separator ends a token, so two consecutive separators
 * enclose an empty token. The text after the last separator is a token, even if empty. An empty text has no tokens.
 */
export function createSeparatedText(text: string, separator: string): TokenizedText {
  const unit = separator.charCodeAt(0);
  const units = utf16Units(text);
  const separatorsIn = createRunningTotal(units.length, (start, end) => {
    let separators = 0;
    for (let at = start; at < end; at++) if (units[at] === unit) separators++;
    return separators;
  });
  const count = (start: number, end: number) => (end > start ? separatorsIn(start, end) + 1 : 0);

  return {
    count,
    ends() {
      const ends = new Uint32Array(count(0, units.length));
      let token = 0;
      for (let at = 0; at < units.length; at++) if (units[at] === unit) ends[token++] = at + 1;
      if (ends.length > 0) ends[token] = units.length;
      return ends;
    },
  };
}
