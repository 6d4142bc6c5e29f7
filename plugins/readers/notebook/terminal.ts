/** What begins with ESC in the output of a terminal: colours, and moves of the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escapes of terminals begin with a control character.
const ESCAPES = /\u001b(?:\[([\d;?]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these move the cursor back.
const MOVES = /[\r\b]|\u001b\[\d*[AK]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const STEPS = /[\r\n]|\u001b\[([\d;?]*)([A-Za-z])|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g;

/** What a terminal shows in the end: without colours, and without what a progress bar has overwritten. Takes linear time. */
export function shownIn(written: string): string {
  const output = written.replaceAll('\r\n', '\n');
  if (!MOVES.test(output)) return output.replace(ESCAPES, '');
  const typed = withoutErased(output);
  const screen = new Screen();
  let done = 0;
  for (const match of typed.matchAll(STEPS)) {
    screen.write(typed.slice(done, match.index));
    screen.step(match[0], match[1] ?? '', match[2] ?? '');
    done = match.index + match[0].length;
  }
  screen.write(typed.slice(done));
  return screen.text();
}

/** Maximum UTF-16 units in which backspaces are followed; otherwise they are only removed. */
const MAX_TYPED = 1_000_000;

/** Removes the characters that backspaces take back. */
function withoutErased(output: string): string {
  if (!output.includes('\b')) return output;
  if (output.length > MAX_TYPED) return output.replaceAll('\b', '');
  const typed: string[] = [];
  for (const sign of output) {
    if (sign !== '\b') typed.push(sign);
    else if (typed.length > 0 && !/[\r\n]/.test(typed.at(-1) as string)) typed.pop();
  }
  return typed.join('');
}

/** Maximum lines that one move goes up. */
const MAX_UP = 1000;

class Screen {
  /** Each line as the texts that were written from its start. The last one is on top. */
  readonly #lines: string[][] = [['']];
  #at = 0;

  write(text: string): void {
    if (text === '') return;
    const line = this.#lines[this.#at] as string[];
    line[line.length - 1] += text;
  }

  step(whole: string, numbers: string, letter: string): void {
    const line = this.#lines[this.#at] as string[];
    if (whole === '\n') this.#goTo(this.#at + 1);
    else if (whole === '\r') line.push('');
    else if (letter === 'A') this.#goTo(this.#at - Math.min(Number(numbers) || 1, MAX_UP));
    // Erases the line, or what an earlier text left after the cursor.
    else if (letter === 'K') this.#lines[this.#at] = [numbers === '2' ? '' : (line.at(-1) as string)];
  }

  #goTo(line: number): void {
    this.#at = Math.max(line, 0);
    const texts = this.#lines[this.#at];
    if (texts === undefined) this.#lines.push(['']);
    else texts.push('');
  }

  text(): string {
    return this.#lines.map(topOf).join('\n');
  }
}

/** The last text. The ends of longer texts below it are only rests of a progress bar. */
function topOf(texts: readonly string[]): string {
  return texts.findLast((text) => text.trim() !== '') ?? '';
}
