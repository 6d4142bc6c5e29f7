import { type Decimal, decimalOf, fractionOf, generalText, partsOf, rounded, shifted } from './decimals.ts';

/** Writes numbers as the custom format of a cell shows them (ECMA-376, part 1, 18.8.31). */
export interface NumberFormat {
  /** @param written a finite number, as in XML */
  readonly number: (written: string) => string;
  /** What the format makes of a text; undefined if it changes none. */
  readonly text: ((text: string) => string) | undefined;
}

type Token =
  | { readonly kind: 'digit'; readonly sign: string }
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'exponent'; readonly sign: string }
  | { readonly kind: 'comma' | 'point' | 'percent' | 'slash' | 'general' | 'text' };

interface Section {
  readonly tokens: readonly Token[];
  readonly matches: ((value: number) => boolean) | undefined;
  /** Whether it shows only negative numbers, without their sign. */
  readonly isNegative: boolean;
  readonly hasDigits: boolean;
  /** Writes the number without its sign. */
  readonly write: (written: string) => string;
}

const TOKEN = /"([^"]*)"?|\\(.)|_.|\*.|\[([^\]]*)\]|(general)|([0#?])|(e)([+-])|([.,%/@])|([\s\S])/giu;
const CONDITION = /^(<=|>=|<>|<|>|=)(-?\d{1,15}(?:\.\d{1,15})?)$/;
const CURRENCY = /^\$([^-]*)/;
/** Longer codes than Excel allows are not read. */
const MAX_CODE = 255;
const MAX_SECTIONS = 4;

/** @param code such as `#,##0.00;[Red]-#,##0.00`, without dates; undefined if it changes no number */
export function compileFormat(code: string): NumberFormat | undefined {
  if (code.length > MAX_CODE) return undefined;
  const all = sectionsOf(code).slice(0, MAX_SECTIONS);
  const isText = ({ tokens }: Section) => tokens.some(({ kind }) => kind === 'text');
  const ofText = all.length === MAX_SECTIONS ? all[MAX_SECTIONS - 1] : all.find(isText);
  const ofNumbers = all.filter((section) => section !== ofText);
  const hasWords = ofText?.tokens.some((token) => token.kind === 'literal' && token.text.trim() !== '');
  return {
    number: (written) => numberText(ofNumbers, written),
    text: ofText !== undefined && isText(ofText) && hasWords ? (text) => textIn(ofText, text) : undefined,
  };
}

function sectionsOf(code: string): Section[] {
  const written: { readonly tokens: Token[]; condition: RegExpExecArray | null }[] = [
    { tokens: [], condition: null },
  ];
  for (const match of code.matchAll(TOKEN)) {
    const [whole, quoted, escaped, bracket] = match;
    const section = written.at(-1) as (typeof written)[number];
    if (whole === ';') written.push({ tokens: [], condition: null });
    else if (bracket !== undefined) {
      section.condition ??= CONDITION.exec(bracket);
      section.tokens.push(literal(CURRENCY.exec(bracket)?.[1] ?? ''));
    } else if (quoted !== undefined || escaped !== undefined) section.tokens.push(literal(quoted ?? escaped));
    else section.tokens.push(tokenOf(match));
  }
  return written.map(({ tokens, condition }, index) => ({
    tokens,
    hasDigits: tokens.some(({ kind }) => kind === 'digit'),
    write: createWriter(tokens),
    matches: condition === null ? undefined : conditionOf(condition),
    isNegative:
      condition === null ? index === 1 : (condition[1] ?? '').startsWith('<') && Number(condition[2]) <= 0,
  }));
}

const literal = (text = ''): Token => ({ kind: 'literal', text });

function tokenOf([whole, , , , general, digit, exponent, sign, mark, other]: RegExpExecArray): Token {
  if (general !== undefined) return { kind: 'general' };
  if (digit !== undefined) return { kind: 'digit', sign: digit };
  if (exponent !== undefined) return { kind: 'exponent', sign: sign ?? '' };
  if (mark !== undefined) return { kind: MARKS[mark] ?? 'point' };
  // `_x` is as wide as `x`, and `*x` repeats it to the width of the column.
  return literal(other === '[' ? '' : (other ?? (whole.startsWith('_') ? ' ' : '')));
}

const MARKS: Readonly<Record<string, 'comma' | 'point' | 'percent' | 'slash' | 'text'>> = {
  ',': 'comma',
  '.': 'point',
  '%': 'percent',
  '/': 'slash',
  '@': 'text',
};

function conditionOf([, sign = '', limit = '']: RegExpExecArray): (value: number) => boolean {
  const other = Number(limit);
  return (value) =>
    value === other
      ? sign.includes('=')
      : value < other
        ? sign.startsWith('<')
        : sign.endsWith('>') || sign === '>=';
}

function sectionFor(sections: readonly Section[], value: number): Section | undefined {
  if (!sections.some(({ matches }) => matches !== undefined))
    return sections[value < 0 && sections.length > 1 ? 1 : value === 0 && sections.length > 2 ? 2 : 0];
  const isLast = (index: number) => index === sections.length - 1;
  return sections.find(({ matches }, index) => matches?.(value) ?? (isLast(index) || value < 0));
}

function numberText(sections: readonly Section[], written: string): string {
  const value = Number(written);
  const section = sectionFor(sections, value);
  const text = section?.write(written) ?? '';
  // A format that hides a number does not take it away.
  if (section === undefined || text.trim() === '') return generalText(written);
  const isZero = section.hasDigits && !/[1-9]/.test(text);
  return value < 0 && !section.isNegative && !isZero ? `-${text}` : text;
}

function textIn({ tokens }: Section, text: string): string {
  return tokens
    .map((token) => (token.kind === 'text' ? text : token.kind === 'literal' ? token.text : ''))
    .join('');
}

function createWriter(tokens: readonly Token[]): Section['write'] {
  const slash = tokens.findIndex(({ kind }) => kind === 'slash');
  if (slash > 0 && tokens[slash - 1]?.kind === 'digit') return createFractionWriter(tokens, slash);
  const percents = tokens.filter(({ kind }) => kind === 'percent').length;
  const by = 2 * percents - 3 * countScales(tokens);
  const exponent = tokens.findIndex(({ kind }) => kind === 'exponent');
  if (exponent > 0) {
    const write = createExponentWriter(tokens, exponent);
    return (written) => write(shifted(decimalOf(written), by));
  }
  const fill = createFill(tokens);
  return (written) => fill(shifted(decimalOf(written), by), written);
}

/** Counts the commas that divide by 1000: those after the last digit of a part. */
function countScales(tokens: readonly Token[]): number {
  let scales = 0;
  let waiting = 0;
  let hasDigits = false;
  for (const { kind } of tokens) {
    if (kind === 'comma') waiting += hasDigits ? 1 : 0;
    else {
      if (kind !== 'digit') scales += waiting;
      waiting = 0;
      hasDigits ||= kind === 'digit';
    }
  }
  return scales + waiting;
}

/** Whether a comma is between digits, so that the number has groups of three. */
function hasGroupSign(tokens: readonly Token[]): boolean {
  const kinds = tokens.map(({ kind }) => SIGNS[kind] ?? ' ').join('');
  return /0,+0/.test(kinds);
}

const SIGNS: Readonly<Record<string, string>> = { digit: '0', comma: ',' };

type Fill = (value: Decimal, written: string) => string;

/** Creates a function that writes a number into the placeholders of tokens. */
function createFill(tokens: readonly Token[]): Fill {
  const point = tokens.findIndex(({ kind }) => kind === 'point');
  const end = point === -1 ? tokens.length : point;
  const ofFraction = tokens.slice(end).filter(({ kind }) => kind === 'digit');
  const places = tokens.slice(0, end).filter(({ kind }) => kind === 'digit').length;
  const hasGroups = hasGroupSign(tokens.slice(0, end));
  const hasZeros = ofFraction.some((token) => token.kind === 'digit' && token.sign === '0');
  const first = tokens.findIndex(({ kind }) => kind === 'digit');
  return (value, written) => {
    const [whole, fraction] = partsOf(rounded(value, ofFraction.length));
    let left = places;
    let right = 0;
    const parts = tokens.map((token, at): string => {
      if (token.kind === 'literal') return token.text;
      if (token.kind === 'percent') return '%';
      if (token.kind === 'general' || token.kind === 'text') return generalText(written).replace('-', '');
      if (token.kind === 'comma') return first === -1 || at < first ? ',' : '';
      if (token.kind === 'point' && at === point)
        return (places === 0 ? whole : '') + (hasZeros || fraction !== '' ? '.' : '');
      if (token.kind !== 'digit') return '';
      const zero = token.sign === '0' ? '0' : '';
      if (at > end) return fraction[right++] ?? zero;
      left--;
      // The first place takes all digits that the others leave.
      const from = left === places - 1 ? 0 : Math.max(whole.length - 1 - left, 0);
      const digits = whole.slice(from, Math.max(whole.length - left, 0));
      return hasGroups ? grouped(digits || zero, left) : digits || zero;
    });
    return parts.join('');
  };
}

/** Puts commas after digits of which `left` more follow before the point. */
function grouped(digits: string, left: number): string {
  return Array.from(digits, (digit, at) => {
    const after = left + digits.length - 1 - at;
    return after > 0 && after % 3 === 0 ? `${digit},` : digit;
  }).join('');
}

const ZERO = decimalOf('0');

function createExponentWriter(tokens: readonly Token[], at: number): (value: Decimal) => string {
  const mantissa = tokens.slice(0, at).filter(({ kind }) => kind !== 'comma');
  const point = mantissa.findIndex(({ kind }) => kind === 'point');
  const whole = mantissa.slice(0, point === -1 ? mantissa.length : point);
  const digits = whole.filter(({ kind }) => kind === 'digit').length;
  const decimals = mantissa.filter(({ kind }) => kind === 'digit').length - digits;
  const step = Math.max(digits, 1);
  const exponentOf = (one: Decimal) => (one.digits === '' ? 0 : Math.floor((one.point - 1) / step) * step);
  const token = tokens[at];
  const plus = token?.kind === 'exponent' && token.sign === '+' ? '+' : '';
  const rest = tokens.slice(at + 1);
  const width = rest.filter(({ kind }) => kind === 'digit').length;
  const fill = createFill(mantissa);
  const after = createFill(rest.filter(({ kind }) => kind !== 'digit'))(ZERO, '0');
  return (value) => {
    const first = exponentOf(value);
    const exponent = exponentOf(shifted(rounded(shifted(value, -first), decimals), first));
    const power = String(Math.abs(exponent)).padStart(width, '0');
    return `${fill(shifted(value, -exponent), '0')}E${exponent < 0 ? '-' : plus}${power}${after}`;
  };
}

const MAX_DENOMINATOR = 99_999;

/** Writes `1 1/2`. The denominator is a number of the format, or has as many digits as the format has places. */
function createFractionWriter(tokens: readonly Token[], slash: number): Section['write'] {
  let start = slash;
  while (tokens[start - 1]?.kind === 'digit') start--;
  let end = slash + 1;
  while (isOfDenominator(tokens[end])) end++;
  const under = tokens.slice(slash + 1, end).map((token) => (token.kind === 'literal' ? token.text : '0'));
  const fixed = Number(under.join(''));
  const most = Math.min(10 ** Math.max(under.length, 1) - 1, MAX_DENOMINATOR);
  const before = createFill(tokens.slice(0, start));
  const after = createFill(tokens.slice(end))(ZERO, '0');
  const hasWhole = tokens.slice(0, start).some(({ kind }) => kind === 'digit');
  return (written) => {
    const value = Math.abs(Number(generalText(written)));
    const whole = hasWhole ? Math.floor(value) : 0;
    const [above, below] =
      fixed > 0 ? [Math.round((value - whole) * fixed), fixed] : approximated(value - whole, most);
    const isWhole = hasWhole && (above === 0 || above === below);
    const shown = String(whole + (isWhole && above > 0 ? 1 : 0));
    const ahead = before(hasWhole ? decimalOf(shown) : ZERO, shown);
    if (isWhole) return `${ahead.trim() === '' ? '0' : ahead}${after}`;
    return `${ahead}${above}/${below}${after}`;
  };
}

function isOfDenominator(token: Token | undefined): boolean {
  return token?.kind === 'digit' || (token?.kind === 'literal' && /^\d$/.test(token.text));
}

function approximated(value: number, most: number): readonly [number, number] {
  const whole = Math.floor(value);
  const [above, below] = fractionOf(value - whole, most);
  return [above + whole * below, below];
}
