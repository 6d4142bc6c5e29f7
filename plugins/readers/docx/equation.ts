import { attributeOf } from './elements.ts';

/** Around what becomes one operand. They are not characters of equations. */
const [OPEN, CLOSE] = ['\ue000', '\ue001'];

/** What is written where an element begins and ends. */
const SIGNS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  num: [OPEN, CLOSE],
  den: [`/${OPEN}`, CLOSE],
  sup: [`^${OPEN}`, CLOSE],
  sub: [`_${OPEN}`, CLOSE],
  lim: [`_${OPEN}`, CLOSE],
  rad: [`\u221a${OPEN}`, CLOSE],
  deg: ['', '&amp;'],
  fName: ['', ' '],
  m: ['[', ']'],
};
/** What is between the operands of an element. */
const SEPARATORS: Readonly<Record<string, string>> = { d: ' | ', mr: ' ', m: '; ', eqArr: '; ' };
const INTEGRAL = '\u222b';
const TOKEN = /<(\/?)m:(\w+)([^<>]*)>|<[^<>]*>|[^<]+/g;

/** An open element. */
interface Frame {
  readonly name: string;
  operands: number;
  /** The brackets around an `m:d`. */
  begin: string;
  end: string;
}

/**
 * Writes an equation of Office (`m:oMath`) in one line: `(a+b)/2`, `x^2`, `√(3&x)`. The text of its `m:t` elements is all
 * in it, as escaped as it was.
 */
export function writeEquation(omml: string): string {
  const parts: string[] = [];
  const open: Frame[] = [];
  for (const [token, slash, name, attributes = ''] of omml.matchAll(TOKEN)) {
    const parent = open.at(-1);
    if (name === undefined) parts.push(parent?.name === 't' && !token.startsWith('<') ? token : '');
    else if (slash === '/') parts.push(closing(open.pop()));
    else {
      setSign(open, name, attributes);
      const frame: Frame = { name, operands: 0, begin: '(', end: ')' };
      if (attributes.endsWith('/')) continue;
      parts.push(opening(frame, parent));
      open.push(frame);
    }
  }
  return simplified(parts.join(''));
}

function opening({ name }: Frame, parent: Frame | undefined): string {
  if (name !== 'e' && name !== 'mr') return SIGNS[name]?.[0] ?? '';
  const isFirst = parent === undefined || parent.operands++ === 0;
  if (!isFirst) return SEPARATORS[parent.name] ?? '';
  return parent?.name === 'd' ? parent.begin : '';
}

function closing(frame: Frame | undefined): string {
  if (frame?.name === 'd') return frame.end;
  if (frame?.name === 'naryPr') return frame.begin === '(' ? INTEGRAL : frame.begin;
  return SIGNS[frame?.name ?? '']?.[1] ?? '';
}

/** Brackets and operators are properties of the element that has them. */
function setSign(open: readonly Frame[], name: string, attributes: string): void {
  const properties = open.at(-1);
  const element = open.at(-2);
  const value = attributeOf(attributes, 'val') ?? '';
  if (name === 'chr' && properties?.name === 'naryPr') properties.begin = value;
  if (element?.name !== 'd') return;
  if (name === 'begChr') element.begin = value;
  if (name === 'endChr') element.end = value;
}

/** Operands without text are left out, and single numbers and words have no brackets. */
function simplified(written: string): string {
  return written
    .replaceAll(`${OPEN}&amp;`, OPEN)
    .replace(/[_^/]?\ue000\ue001/g, '')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001(?=[\p{L}\p{N}])/gu, '$1 ')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001/gu, '$1')
    .replaceAll(OPEN, '(')
    .replaceAll(CLOSE, ')');
}
