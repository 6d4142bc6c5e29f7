import { type MathElement, writeMathml } from '../office/index.ts';
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
  readonly tex: Map<Node, string> = new Map();
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

/** Writes a formula of MathML as one line: `(a+b)/2`, `10^6`. */
export const writeMath = (math: Element): string => writeMathml(mathOf(math));

function mathOf({ nodeName, attrs, childNodes }: Element): MathElement {
  const children = childNodes.flatMap((node): (MathElement | string)[] => {
    if ('tagName' in node) return [mathOf(node)];
    return 'value' in node ? [node.value] : [];
  });
  const attributes = Object.fromEntries(attrs.map(({ name, value }) => [name, value]));
  return { name: nodeName, attributes, children };
}
