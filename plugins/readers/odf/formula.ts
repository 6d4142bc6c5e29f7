import { type Element, elementsOf, textBelow } from './tree.ts';

/** Elements of MathML whose content is not part of the formula. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'annotation',
  'annotation-xml',
  'maction',
  'none',
  'mprescripts',
]);
/** Operators that are not shown: the application of a function, and products without a sign. */
const INVISIBLE = /[\u2061-\u2064]/g;
const SPACE = /\s+/g;
/** The signs before the second and third operand of an element. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  mfrac: ['/'],
  msup: ['^'],
  msub: ['_'],
  msubsup: ['_', '^'],
  munder: ['_'],
  mover: ['^'],
  munderover: ['_', '^'],
};

/** Writes MathML as one line, as equations of Word are written: `(a+b)/2`, `x^2`, `√(3&x)`. */
export function writeFormula(element: Element): string {
  return written(element).replace(/ {2,}/g, ' ').trim();
}

function written(element: Element): string {
  const { name, attributes } = element;
  if (LEFT_OUT.has(name)) return '';
  const operands = elementsOf(element);
  if (operands.length === 0) return textBelow(element).replace(INVISIBLE, '').replace(SPACE, ' ').trim();
  const signs = SIGNS[name];
  if (signs !== undefined)
    return operands.map((one, at) => (at === 0 ? operand(one) : signed(signs[at - 1] ?? ' ', one))).join('');
  if (name === 'msqrt') return `\u221a${inParentheses(joined(operands))}`;
  if (name === 'mroot') {
    const [base = '', degree = ''] = operands.map(written);
    return `\u221a(${degree}&${base})`;
  }
  if (name === 'mfenced')
    return (
      (attributes.open ?? '(') +
      operands.map(written).join(attributes.separators ?? ', ') +
      (attributes.close ?? ')')
    );
  if (name === 'mtable') return `[${operands.map(written).join('; ')}]`;
  return name === 'mtr' ? operands.map(written).join(' ') : joined(operands);
}

/** Joins operands. Words and numbers that follow each other are parted. */
function joined(operands: readonly Element[]): string {
  let text = '';
  for (const one of operands) {
    const next = written(one);
    text += /[\p{L}\p{N}]$/u.test(text) && /^[\p{L}\p{N}\u221a]/u.test(next) ? ` ${next}` : next;
  }
  return text;
}

function signed(sign: string, element: Element): string {
  const text = operand(element);
  return text === '' ? '' : sign + text;
}

const operand = (element: Element): string => inParentheses(written(element));

function inParentheses(text: string): string {
  const isSingle = /^(?:.|[\p{L}\p{N}.]*)$/u.test(text);
  return isSingle ? text : `(${text})`;
}
