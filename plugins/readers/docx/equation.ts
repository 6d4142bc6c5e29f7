import { attributeOf } from './elements.ts';

/** Enclose an operand until parentheses replace them. Equations never contain these characters. */
const OPEN = '\ue000';
const CLOSE = '\ue001';

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
const SEPARATORS: Readonly<Record<string, string>> = { d: ' | ', mr: ' ', m: '; ', eqArr: '; ' };
const INTEGRAL = '\u222b';
const TOKEN = /<(\/?)m:(\w+)([^<>]*)>|<[^<>]*>|[^<]+/g;

interface OpenElement {
  readonly name: string;
  operands: number;
  begin: string;
  end: string;
}

/** Writes an Office equation (`m:oMath`) as one line of escaped XML text: `(a+b)/2`, `√(3&amp;x)`. */
export function writeEquation(omml: string): string {
  const parts: string[] = [];
  const open: OpenElement[] = [];
  for (const [token, slash, name, attributes = ''] of omml.matchAll(TOKEN)) {
    const parent = open.at(-1);
    if (name === undefined) parts.push(parent?.name === 't' && !token.startsWith('<') ? token : '');
    else if (slash === '/') parts.push(closing(open.pop()));
    else {
      setSign(open, name, attributes);
      const element: OpenElement = { name, operands: 0, begin: '(', end: ')' };
      if (attributes.endsWith('/')) continue;
      parts.push(opening(element, parent));
      open.push(element);
    }
  }
  return simplified(parts.join(''));
}

function opening({ name }: OpenElement, parent: OpenElement | undefined): string {
  if (name !== 'e' && name !== 'mr') return SIGNS[name]?.[0] ?? '';
  const isFirst = parent === undefined || parent.operands++ === 0;
  if (!isFirst) return SEPARATORS[parent.name] ?? '';
  return parent?.name === 'd' ? parent.begin : '';
}

function closing(element: OpenElement | undefined): string {
  if (element?.name === 'd') return element.end;
  if (element?.name === 'naryPr') return element.begin === '(' ? INTEGRAL : element.begin;
  return SIGNS[element?.name ?? '']?.[1] ?? '';
}

function setSign(open: readonly OpenElement[], name: string, attributes: string): void {
  const properties = open.at(-1);
  const element = open.at(-2);
  const value = attributeOf(attributes, 'val') ?? '';
  if (name === 'chr' && properties?.name === 'naryPr') properties.begin = value;
  if (element?.name !== 'd') return;
  if (name === 'begChr') element.begin = value;
  if (name === 'endChr') element.end = value;
}

function simplified(written: string): string {
  return written
    .replaceAll(`${OPEN}&amp;`, OPEN)
    .replace(/[_^/]?\ue000\ue001/g, '')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001(?=[\p{L}\p{N}])/gu, '$1 ')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001/gu, '$1')
    .replaceAll(OPEN, '(')
    .replaceAll(CLOSE, ')');
}
