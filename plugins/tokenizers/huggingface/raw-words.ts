import type { Stage } from './stages.ts';
import type { TokenizerFile } from './tokenizer-file.ts';

/** Normalizers that read what stands between two white spaces by itself. */
const LOCAL_NORMALIZERS = new Set([
  'BertNormalizer',
  'Lowercase',
  'NFC',
  'NFD',
  'NFKC',
  'NFKD',
  'StripAccents',
]);

/** Pre-tokenizers that drop white space and never join what stands on both sides of it. */
const SPACE_SPLITTERS = new Set(['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit']);

/** Whether the words between white space can be read one by one, with the same tokens as a result. */
export function hasRawWords(
  file: TokenizerFile,
  normalizers: readonly Stage[],
  splitters: readonly Stage[],
): boolean {
  return (
    file.addedTokens.length === 0 &&
    file.model.type !== 'Unigram' &&
    !file.model.fusesUnknown &&
    normalizers.every((stage) => LOCAL_NORMALIZERS.has(stage.type)) &&
    SPACE_SPLITTERS.has(splitters[0]?.type ?? '')
  );
}

/** Whether Chinese characters are words of their own from the first stage on. */
export function isolatesChinese(file: TokenizerFile): boolean {
  const [first] = file.normalizers;
  return first?.type === 'BertNormalizer' && Boolean(first.handle_chinese_chars);
}

/** Calls `visit` with the start and end of each word between white space, and of each Chinese character. */
export function forEachRawWord(
  text: string,
  start: number,
  end: number,
  isolateChinese: boolean,
  visit: (start: number, end: number) => void,
): void {
  let wordStart = start;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    const isSpace = code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b && code !== 0x0c);
    if (!isSpace && !(isolateChinese && isChinese(code))) continue;
    if (index > wordStart) visit(wordStart, index);
    if (!isSpace) visit(index, index + 1);
    wordStart = index + 1;
  }
  if (end > wordStart) visit(wordStart, end);
}

const isChinese = (code: number): boolean =>
  (code >= 0x4e00 && code <= 0x9fff) ||
  (code >= 0x3400 && code <= 0x4dbf) ||
  (code >= 0xf900 && code <= 0xfaff);
