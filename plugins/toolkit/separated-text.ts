import type { TokenizedText } from '../../core/contracts/tokenizer.ts';
import { createRunningTotal, utf16Units } from './running-total.ts';

/**
 * A text whose tokens are separated by single code units. Each separator ends a token, so two in a row have an empty
 * token between them, and the text after the last one is a token even if it is empty. An empty text has no tokens.
 */
export function createSeparatedText(text: string, separator: string): TokenizedText {
  const unit = separator.charCodeAt(0);
  const units = utf16Units(text);
  const separatorsIn = createRunningTotal(units.length, (start, end) => {
    let found = 0;
    for (let at = start; at < end; at++) if (units[at] === unit) found++;
    return found;
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
