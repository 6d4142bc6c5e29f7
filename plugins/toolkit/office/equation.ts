/** Enclose an operand until parentheses replace them. Text of equations loses these characters. */
const OPEN = '\ue000';
const CLOSE = '\ue001';
/** Becomes a space after a letter or digit: the `3` of three and a half must not join the `1`. */
const APART = '\ue002';
const MARKS = /[\ue000-\ue002]/g;

const SIGNS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  num: [APART + OPEN, CLOSE],
  den: [`/${OPEN}`, CLOSE],
  sup: [`^${OPEN}`, CLOSE],
  sub: [`_${OPEN}`, CLOSE],
  lim: [`_${OPEN}`, CLOSE],
  rad: [`${APART}\u221a${OPEN}`, CLOSE],
  deg: ['', '&'],
  fName: ['', ' '],
  m: ['[', ']'],
};
const SEPARATORS: Readonly<Record<string, string>> = { d: ' | ', mr: ' ', m: '; ', eqArr: '; ' };
const INTEGRAL = '\u222b';
const HAT = '\u0302';
const OVERLINE = '\u0305';
const UNDERLINE = '\u0332';

interface OpenElement {
  readonly name: string;
  operands: number;
  begin: string;
  end: string;
}

/**
 * Writes an equation of Office (`m:oMath`) as one line, from its elements by their local names: `(a+b)/2`, `10^6`,
 * `√(3&x)`. Takes linear time.
 */
export class EquationWriter {
  readonly #parts: string[] = [];
  readonly #open: OpenElement[] = [];

  /** @param value of the attribute `val` */
  open(name: string, value: string | undefined): void {
    const parent = this.#open.at(-1);
    setSign(this.#open, name, value);
    const element: OpenElement = { name, operands: 0, begin: '(', end: ')' };
    this.#parts.push(opening(element, parent));
    this.#open.push(element);
  }

  /** @param text written only within `m:t` */
  text(text: string): void {
    if (this.#open.at(-1)?.name === 't') this.#parts.push(text.replace(MARKS, ''));
  }

  close(): void {
    const element = this.#open.pop();
    this.#parts.push(closing(element, this.#open.at(-1)));
  }

  end(): string {
    return simplified(this.#parts.join(''));
  }
}

function opening({ name }: OpenElement, parent: OpenElement | undefined): string {
  if (name === 'lim' && parent?.name === 'limUpp') return `^${OPEN}`;
  if (name === 'den' && parent?.begin === NO_BAR) return `${NO_BAR}${OPEN}`;
  if (name !== 'e' && name !== 'mr') return SIGNS[name]?.[0] ?? '';
  const isFirst = parent === undefined || parent.operands++ === 0;
  if (parent?.name === 'acc' || parent?.name === 'bar') return OPEN;
  if (!isFirst) return SEPARATORS[parent.name] ?? '';
  return parent?.name === 'd' ? parent.begin : '';
}

/** Stands between the parts of a binomial, which is a fraction without a bar. */
const NO_BAR = '\u00a6';

function closing(element: OpenElement | undefined, parent: OpenElement | undefined): string {
  const name = element?.name ?? '';
  if (name === 'd') return element?.end ?? '';
  if (name === 'naryPr') return element?.begin === '(' ? INTEGRAL : (element?.begin ?? '');
  if (name === 'e' && (parent?.name === 'acc' || parent?.name === 'bar')) return CLOSE + accentOf(parent);
  return SIGNS[name]?.[1] ?? '';
}

function accentOf({ name, begin }: OpenElement): string {
  if (begin !== '(') return begin;
  return name === 'acc' ? HAT : UNDERLINE;
}

function setSign(open: readonly OpenElement[], name: string, value = ''): void {
  const properties = open.at(-1);
  const element = open.at(-2);
  if (name === 'chr' && properties?.name === 'naryPr') properties.begin = value;
  if (element === undefined) return;
  if (name === 'chr' && element.name === 'acc') element.begin = value;
  if (name === 'pos' && element.name === 'bar') element.begin = value === 'top' ? OVERLINE : UNDERLINE;
  if (name === 'type' && element.name === 'f' && value === 'noBar') element.begin = NO_BAR;
  if (element.name !== 'd') return;
  if (name === 'begChr') element.begin = value;
  if (name === 'endChr') element.end = value;
}

function simplified(written: string): string {
  return written
    .replaceAll(`${OPEN}&`, OPEN)
    .replace(/[_^/\u00a6]?\ue000\ue001/g, '')
    .replace(/(?<=[\p{L}\p{N}\ue001])\ue002/gu, ' ')
    .replaceAll(APART, '')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001(?=[\p{L}\p{N}])/gu, '$1 ')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001/gu, '$1')
    .replaceAll(OPEN, '(')
    .replaceAll(CLOSE, ')');
}
