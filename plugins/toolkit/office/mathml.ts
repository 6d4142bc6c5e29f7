import { EquationWriter } from './equation.ts';

/** An element of MathML, named without a prefix. */
export interface MathElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly (MathElement | string)[];
}

const SKIPPED = new Set(['annotation', 'annotation-xml', 'mphantom', 'mprescripts', 'none']);
const FIRST_ONLY = new Set(['semantics', 'maction']);
/** The operands of elements, by the names that equations of Office have for them. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  mfrac: ['num', 'den'],
  msup: ['base', 'sup'],
  msub: ['base', 'sub'],
  msubsup: ['base', 'sub', 'sup'],
  munder: ['base', 'sub'],
  mover: ['base', 'sup'],
  munderover: ['base', 'sub', 'sup'],
};
const ROWS: Readonly<Record<string, string>> = {
  mtable: 'm',
  mtr: 'mr',
  mlabeledtr: 'mr',
  mtd: 'e',
  msqrt: 'rad',
};
/** Accents over an operand, with the characters that combine with it. */
const ACCENTS: ReadonlyMap<string, string> = new Map([
  ['\u00af', '\u0305'],
  ['\u203e', '\u0305'],
  ['\u2013', '\u0305'],
  ['^', '\u0302'],
  ['\u02c6', '\u0302'],
  ['~', '\u0303'],
  ['\u02dc', '\u0303'],
  ['\u02d9', '\u0307'],
  ['\u00a8', '\u0308'],
  ['\u2192', '\u20d7'],
]);
/** Operators that are not shown: application of a function, times, comma, plus. */
const INVISIBLE = /[\u2061-\u2064]/g;
const WORD = /^[\p{L}\p{N}]/u;

/** Writes a formula of MathML as one line: `(a+b)/2`, `10^6`. */
export function writeMathml(math: MathElement): string {
  const writer = new MathWriter();
  writer.write(math);
  return writer.end();
}

class MathWriter {
  readonly #equation = new EquationWriter();
  #last = '';
  /** Whether an operator that is not shown follows the last token. */
  #isInvisible = false;

  end(): string {
    return this.#equation.end().replace(/\s+/g, ' ').trim();
  }

  write(element: MathElement): void {
    const { name } = element;
    const children = childrenOf(element);
    const operands = OPERANDS[name];
    if (SKIPPED.has(name)) return;
    if (children.length === 0) this.#token(element);
    else if (FIRST_ONLY.has(name)) this.write(children[0] as MathElement);
    else if (name === 'mover' && accentOf(children[1]) !== undefined) this.#accent(children);
    else if (name === 'mroot') this.#root(children);
    else if (name === 'mfenced') this.#fenced(element, children);
    else if (operands !== undefined) this.#operands(element, children, operands);
    else this.#within(ROWS[name] ?? name, () => this.#row(name, children));
  }

  #row(name: string, children: readonly MathElement[]): void {
    if (name !== 'msqrt') for (const child of children) this.write(child);
    else this.#within('e', () => this.#row('', children));
  }

  #within(name: string, write: () => void, value?: readonly [name: string, value: string]): void {
    this.#equation.open(name, undefined);
    if (value !== undefined) {
      this.#equation.open(`${name}Pr`, undefined);
      this.#equation.open(...value);
      this.#equation.close();
      this.#equation.close();
    }
    write();
    this.#equation.close();
  }

  #operands(element: MathElement, children: readonly MathElement[], names: readonly string[]): void {
    const isBinomial = /^0(?:\D|$)/.test(element.attributes.linethickness ?? '');
    const write = (): void => {
      for (const [at, child] of children.entries())
        this.#within(names[at] ?? 'base', () => {
          this.#last = '';
          this.write(child);
        });
    };
    if (element.name === 'mfrac') this.#within('f', write, isBinomial ? ['type', 'noBar'] : undefined);
    else write();
  }

  #accent([base, accent]: readonly MathElement[]): void {
    const sign = accentOf(accent) ?? '';
    this.#within('acc', () => this.#within('e', () => this.write(base as MathElement)), ['chr', sign]);
  }

  #root([base, index]: readonly MathElement[]): void {
    this.#within('rad', () => {
      if (index !== undefined) this.#within('deg', () => this.write(index));
      if (base !== undefined) this.#within('e', () => this.write(base));
    });
  }

  #fenced(element: MathElement, children: readonly MathElement[]): void {
    const separators = (element.attributes.separators ?? ',').replace(/\s/g, '');
    this.#text(element.attributes.open ?? '(');
    for (const [at, child] of children.entries()) {
      if (at > 0) this.#text(separators[Math.min(at, separators.length) - 1] ?? '');
      this.write(child);
    }
    this.#text(element.attributes.close ?? ')');
  }

  #token(element: MathElement): void {
    const written = textOf(element);
    const text = written.replace(INVISIBLE, '');
    if (text === '') {
      this.#isInvisible = written !== '';
      return;
    }
    // Words and names of functions stay apart from letters and numbers, numbers from numbers; `2x` is joined.
    const isWord = /^\p{L}{2,}$/u.test(text) || /\p{L}{2}$/u.test(this.#last) || element.name === 'mtext';
    const isNumber = this.#isInvisible && /^\d/.test(text) && /\d$/.test(this.#last);
    const isBetween = WORD.test(text) && /[\p{L}\p{N}]$/u.test(this.#last);
    this.#isInvisible = false;
    this.#text(isBetween && (isWord || isNumber) ? ` ${text}` : text);
    this.#last = text;
  }

  #text(text: string): void {
    this.#equation.open('t', undefined);
    this.#equation.text(text);
    this.#equation.close();
    this.#last = text;
  }
}

/** The character that combines with an operand below it; undefined for other elements. */
function accentOf(element: MathElement | undefined): string | undefined {
  const text = textOf(element);
  return /^\p{M}$/u.test(text) ? text : ACCENTS.get(text);
}

const childrenOf = ({ children }: MathElement): MathElement[] =>
  children.filter((child) => typeof child !== 'string');

function textOf(element: MathElement | undefined): string {
  const texts = element?.children.filter((child) => typeof child === 'string') ?? [];
  return texts.join('').replace(/\s+/g, ' ').trim();
}
