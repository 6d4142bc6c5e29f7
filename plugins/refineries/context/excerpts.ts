/** At most so many characters from the start of a text: whole words, if it has white space among them. */
export function firstWords(text: string, most: number): string {
  const trimmed = text.trimStart();
  const end = startOfRest(trimmed, most);
  if (end === trimmed.length || isSpace(trimmed, end)) return trimmed.slice(0, end).trimEnd();
  let cut = end;
  while (cut > 0 && !isSpace(trimmed, cut - 1)) cut--;
  return trimmed.slice(0, cut || end).trimEnd();
}

/** At most so many characters from the end of a text: whole words, if it has white space among them. */
export function lastWords(text: string, most: number): string {
  const trimmed = text.trimEnd();
  let start = trimmed.length;
  for (let count = 0; count < most && start > 0; count++) start -= isPair(trimmed, start - 2) ? 2 : 1;
  if (start === 0 || isSpace(trimmed, start - 1)) return trimmed.slice(start).trimStart();
  let cut = start;
  while (cut < trimmed.length && !isSpace(trimmed, cut)) cut++;
  return trimmed.slice(cut === trimmed.length ? start : cut).trimStart();
}

/** At most so many characters from the start of a text. */
export function firstCharacters(text: string, most: number): string {
  return text.slice(0, startOfRest(text, most));
}

function startOfRest(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let at = 0;
  for (let count = 0; count < most && at < text.length; count++) at += isPair(text, at) ? 2 : 1;
  return at;
}

/** Whether the two halves of one character begin at `at`. */
function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff;
}

function isSpace(text: string, at: number): boolean {
  return text.charAt(at).trim() === '';
}
