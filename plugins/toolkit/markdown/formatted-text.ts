import { refusedError } from '../../../core/errors.ts';
import { raised } from './numerals.ts';

/** The format of a stretch of text, as far as Markdown keeps it. */
export interface TextFormat {
  /** The marks before the text, such as `**`; the reverse follows it. */
  readonly emphasis: string;
  /** The address of a link; empty without one. */
  readonly href: string;
  readonly isRaised: boolean;
}

export const PLAIN_TEXT: TextFormat = { emphasis: '', href: '', isRaised: false };

/** Maximum UTF-16 units of a paragraph: a small file may show one formula many times. */
const MAX_LENGTH = 16 * 1024 * 1024;
const LINK = /^(?:https?:|mailto:)[^\s<>]+$/i;
/** Collects the text of a paragraph, stretch by stretch, and writes it as Markdown. */
export class FormattedText {
  readonly #stretches: { readonly format: TextFormat; text: string }[] = [];
  #length = 0;

  add(text: string, format: TextFormat): void {
    if (text === '') return;
    this.#length += text.length;
    if (this.#length > MAX_LENGTH)
      throw refusedError(`The file cannot be read: a paragraph has more than ${MAX_LENGTH} characters.`);
    const last = this.#stretches.at(-1);
    const written = format.isRaised ? raised(text) : text;
    if (last?.format.emphasis === format.emphasis && last.format.href === format.href) last.text += written;
    else this.#stretches.push({ format, text: written });
  }

  /** @param isEmphasised whether to keep emphasis, which headings do without */
  written(isEmphasised = true): string {
    const texts = this.#stretches.map(({ text, format: { emphasis, href } }) =>
      writeStretch(text, isEmphasised ? emphasis : '', href),
    );
    return texts
      .join('')
      .replaceAll('\u00ad', '')
      .replace(/ {2,}/g, ' ')
      .replace(/ *\n */g, '\n')
      .trim();
  }
}

/** Keeps white space outside the emphasis, as Markdown requires. */
function writeStretch(text: string, emphasis: string, href: string): string {
  const core = text.trim();
  const start = text.indexOf(core);
  const hasEmphasis = emphasis !== '' && !/\n\s*\n/.test(core) && /[\p{L}\p{N}]/u.test(core);
  const isLink = LINK.test(href) && core !== '' && core !== href && !/[[\]\n]/.test(core);
  const marked = hasEmphasis ? emphasis + core + [...emphasis].reverse().join('') : core;
  const target = href.replaceAll('(', '%28').replaceAll(')', '%29');
  return (
    text.slice(0, start) + (isLink ? `[${marked}](${target})` : marked) + text.slice(start + core.length)
  );
}
