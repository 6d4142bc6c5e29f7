/** Lines that end with LF, CR or both. */
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export function isLineBreak(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN;
}

/** Behind the line break at an offset, whichever kind it is. */
export function behindBreak(text: string, at: number): number {
  return text.charCodeAt(at) === CARRIAGE_RETURN && text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1;
}

/** Where the line after the one at an offset begins; `end` if there is none before it. */
export function nextLine(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (isLineBreak(text.charCodeAt(at))) return behindBreak(text, at);
  return end;
}
