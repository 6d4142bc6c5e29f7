import { refusedError } from '../../../core/kit.ts';

/** Functions that are called in the order of the file. */
interface RtfHandlers {
  readonly open: () => void;
  readonly close: () => void;
  /** A control word such as `\par` or `\uc1`, or a control symbol such as `\~`. */
  readonly control: (name: string, parameter: number | undefined) => void;
  /** A byte of text in the current code page, written as it is or as `\'e4`. */
  readonly byte: (byte: number) => void;
}

const MAX_DEPTH = 1000;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const HYPHEN = 0x2d;
const SPACE = 0x20;
const QUOTE = 0x27;
const MAX_DIGITS = 10;
const MAX_NAME = 32;

const isLetter = (byte: number): boolean => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isLineEnd = (byte: number): boolean => byte === 0x0a || byte === 0x0d || byte === 0;

/**
 * Reads the groups, control words and text of RTF in one pass, up to the end of the first group.
 *
 * @throws Error for callers if the file is not RTF, or is nested too deeply
 */
export function readRtfTokens(file: Uint8Array, handlers: RtfHandlers): void {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (!/^[^{]{0,16}\{\s*\\rtf/.test(bytes.toString('latin1', 0, MAX_NAME)))
    throw refusedError('The file cannot be read: it is not RTF (it does not begin with {\\rtf).');
  let depth = 0;
  for (let at = bytes.indexOf(OPEN); at < bytes.length; ) {
    const byte = bytes[at] as number;
    if (byte === OPEN) {
      if (++depth > MAX_DEPTH)
        throw refusedError(`The file cannot be read: its groups are nested more than ${MAX_DEPTH} deep.`);
      handlers.open();
      at++;
    } else if (byte === CLOSE) {
      handlers.close();
      at++;
      if (--depth === 0) return;
    } else if (byte === BACKSLASH) at = readControl(bytes, at + 1, handlers);
    else {
      if (!isLineEnd(byte)) handlers.byte(byte);
      at++;
    }
  }
  for (; depth > 0; depth--) handlers.close();
}

/** @returns where the next token begins */
function readControl(bytes: Buffer, start: number, handlers: RtfHandlers): number {
  let at = start;
  while (at < bytes.length && isLetter(bytes[at] as number)) at++;
  if (at === start) {
    const symbol = bytes[at];
    if (symbol === undefined) return at;
    if (symbol === QUOTE) {
      const value = Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16);
      if (value >= 0) handlers.byte(value);
      return at + 3;
    }
    handlers.control(isLineEnd(symbol) ? 'par' : String.fromCharCode(symbol), undefined);
    return at + 1;
  }
  const name = bytes.toString('latin1', start, Math.min(at, start + MAX_NAME));
  const digits = at + (bytes[at] === HYPHEN && isDigit(bytes[at + 1] ?? 0) ? 1 : 0);
  let end = digits;
  while (end < bytes.length && end - digits < MAX_DIGITS && isDigit(bytes[end] as number)) end++;
  const parameter = end > digits ? Number(bytes.toString('latin1', at, end)) : undefined;
  const next = bytes[end] === SPACE ? end + 1 : end;
  if (name === 'bin') return next + Math.max(parameter ?? 0, 0);
  handlers.control(name, parameter);
  return next;
}
