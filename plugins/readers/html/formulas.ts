import { EquationWriter } from '../../toolkit/office/index.ts';
import { attributeOf, type Element, type Node, words } from './nodes.ts';

/** Classes of elements that contain a formula in several forms: as MathML, and as letters with positions. */
const RENDERED = /(?:^|\s)(?:katex|MathJax(?:_(?:CHTML|SVG|Display|SVG_Display|Preview))?)(?:\s|$)/;
const PREVIEW = /(?:^|\s)MathJax_Preview(?:\s|$)/;
/** What lays out a formula by positions of letters. */
const LAID_OUT = words('nobr svg mjx-math');
const LAID_OUT_CLASS = /(?:^|\s)(?:katex-html|math|mjx-math)(?:\s|$)/;
const CONTAINERS = words('span mjx-container div');

/** Finds formulas that a page shows in several forms, so that each is written once. */
export class Formulas {
  /** Elements that contain a formula as MathML, perhaps beside other forms. */
  readonly #withMathml = new Set<Element>();
  /** TeX by the script that has it. Elements that show the same formula have an empty text. */
  readonly tex = new Map<Element, string>();
  readonly #open: Element[] = [];
  /** Elements that show the formula of the next script. */
  #shown: Element[] = [];

  enter(element: Element): void {
    const { nodeName: name } = element;
    const container = this.#open.at(-1);
    if (name === 'math' && container !== undefined) this.#withMathml.add(container);
    if (
      name === 'mjx-container' ||
      (CONTAINERS.has(name) && RENDERED.test(attributeOf(element, 'class') ?? ''))
    )
      this.#open.push(element);
    if (name === 'script' && isFormulaScript(element)) this.#enterScript(element);
  }

  /** Whether an element repeats a formula that its parent also has as MathML. */
  isRepeated(element: Element): boolean {
    if (!this.#withMathml.has(element.parentNode as Element)) return false;
    const isHidden = attributeOf(element, 'aria-hidden')?.toLowerCase() === 'true';
    return (
      isHidden || LAID_OUT.has(element.nodeName) || LAID_OUT_CLASS.test(attributeOf(element, 'class') ?? '')
    );
  }

  leave(element: Element): void {
    if (this.#open.at(-1) !== element) return;
    this.#open.pop();
    if (this.#open.length === 0) this.#shown.push(element);
  }

  #enterScript(script: Element): void {
    const shown = this.#shown.filter(({ parentNode }) => parentNode === script.parentNode);
    this.#shown = [];
    if (shown.some((element) => this.#hasMathml(element))) return;
    const isDisplay = /mode\s*=\s*display/i.test(attributeOf(script, 'type') ?? '');
    const mark = isDisplay ? '$$' : '$';
    const text = script.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
    const tex = text.replace(/^\s*% <!\[CDATA\[|%\s*\]\]>\s*$/g, '').trim();
    if (tex === '') return;
    this.tex.set(script, mark + tex + mark);
    for (const element of shown) this.tex.set(element, '');
  }

  /** Whether an element or what it directly contains is known to contain MathML. */
  #hasMathml(element: Element): boolean {
    if (PREVIEW.test(attributeOf(element, 'class') ?? '')) return false;
    return (
      this.#withMathml.has(element) ||
      element.childNodes.some((node) => this.#withMathml.has(node as Element))
    );
  }
}

export function isFormulaScript(element: Element): boolean {
  return /^\s*math\/tex\b/i.test(attributeOf(element, 'type') ?? '');
}

const SKIPPED = words('annotation annotation-xml mphantom mprescripts none');
const FIRST_ONLY = words('semantics maction');
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
export function writeMath(math: Element): string {
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

  write(element: Element): void {
    const { nodeName: name } = element;
    const children = childrenOf(element);
    const operands = OPERANDS[name];
    if (SKIPPED.has(name)) return;
    if (children.length === 0) this.#token(element);
    else if (FIRST_ONLY.has(name)) this.write(children[0] as Element);
    else if (name === 'mover' && accentOf(children[1]) !== undefined) this.#accent(children);
    else if (name === 'mroot') this.#root(children);
    else if (name === 'mfenced') this.#fenced(element, children);
    else if (operands !== undefined) this.#operands(element, children, operands);
    else this.#within(ROWS[name] ?? name, () => this.#row(name, children));
  }

  #row(name: string, children: readonly Element[]): void {
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

  #operands(element: Element, children: readonly Element[], names: readonly string[]): void {
    const isBinomial = /^0(?:\D|$)/.test(attributeOf(element, 'linethickness') ?? '');
    const write = (): void => {
      for (const [at, child] of children.entries())
        this.#within(names[at] ?? 'base', () => {
          this.#last = '';
          this.write(child);
        });
    };
    if (element.nodeName === 'mfrac') this.#within('f', write, isBinomial ? ['type', 'noBar'] : undefined);
    else write();
  }

  #accent([base, accent]: readonly Element[]): void {
    const sign = accentOf(accent) ?? '';
    this.#within('acc', () => this.#within('e', () => this.write(base as Element)), ['chr', sign]);
  }

  #root([base, index]: readonly Element[]): void {
    this.#within('rad', () => {
      if (index !== undefined) this.#within('deg', () => this.write(index));
      if (base !== undefined) this.#within('e', () => this.write(base));
    });
  }

  #fenced(element: Element, children: readonly Element[]): void {
    const separators = (attributeOf(element, 'separators') ?? ',').replace(/\s/g, '');
    this.#text(attributeOf(element, 'open') ?? '(');
    for (const [at, child] of children.entries()) {
      if (at > 0) this.#text(separators[Math.min(at, separators.length) - 1] ?? '');
      this.write(child);
    }
    this.#text(attributeOf(element, 'close') ?? ')');
  }

  #token(element: Element): void {
    const written = textOf(element);
    const text = written.replace(INVISIBLE, '');
    if (text === '') {
      this.#isInvisible = written !== '';
      return;
    }
    // Words and names of functions stay apart from letters and numbers, numbers from numbers; `2x` is joined.
    const isWord = /^\p{L}{2,}$/u.test(text) || /\p{L}{2}$/u.test(this.#last) || element.nodeName === 'mtext';
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
function accentOf(element: Element | undefined): string | undefined {
  const text = textOf(element);
  return /^\p{M}$/u.test(text) ? text : ACCENTS.get(text);
}

const childrenOf = ({ childNodes }: Element): Element[] =>
  childNodes.filter((node): node is Element => 'tagName' in node);

function textOf(element: Element | undefined): string {
  const texts = element?.childNodes.map((node: Node) => ('value' in node ? node.value : '')) ?? [];
  return texts.join('').replace(/\s+/g, ' ').trim();
}
