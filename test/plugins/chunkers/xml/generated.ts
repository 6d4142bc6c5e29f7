import fc from 'fast-check';

/** An element, a comment and the like of a generated document, and where it lies. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** With its indentation and line end. */
  readonly outerStart: number;
  readonly outerEnd: number;
}

interface Node {
  readonly name: string;
  readonly attribute: string;
  readonly content: readonly Node[] | string;
}

const names = fc.constantFrom('context', 'message', 'a:b', 'source', 'PropertyGroup', 'é', 'x-1');
const attributes = fc.constantFrom('', ' id="1"', " a='>' b=\"'\"", ' c="a &amp; b"', '\n    d="1"');
const texts = fc.constantFrom(
  '',
  'One &amp; two.',
  'A sentence. Another one, which is longer! <i>In. here</i> and &#x41; more? <br/> Last.',
  '<![CDATA[ <b> & ]]>',
  'x <!-- a > b --> y',
  'Слово слово. 😀 слово',
);

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    name: names,
    attribute: attributes,
    content: fc.oneof(
      { depthSize: 'small', maxDepth: 5 },
      texts,
      fc.array(tie('node'), { minLength: 1, maxLength: 5 }),
    ),
  }),
}));

/** XML documents with the parts that a chunker must not cut, on one line or indented. */
export const anyXml = fc
  .record({
    root: node,
    isIndented: fc.boolean(),
    prolog: fc.constantFrom(
      '',
      '<?xml version="1.0"?>\n',
      '\ufeff<?xml version="1.0"?><!DOCTYPE TS>\n<!-- x -->\n',
    ),
  })
  .map(({ root, isIndented, prolog }) => {
    const writer = new Writer(isIndented, prolog);
    writer.write(root, 0);
    return { text: writer.text, parts: writer.parts };
  });

class Writer {
  readonly #isIndented: boolean;
  readonly parts: Part[] = [];
  text: string;

  constructor(isIndented: boolean, prolog: string) {
    this.#isIndented = isIndented;
    this.text = prolog;
  }

  write({ name, attribute, content }: Node, depth: number): void {
    const indentation = this.#isIndented ? '  '.repeat(depth) : '';
    const lineEnd = this.#isIndented ? '\n' : '';
    const outerStart = this.text.length;
    this.text += indentation;
    const start = this.text.length;
    if (content.length === 0) this.text += `<${name}${attribute}/>`;
    else {
      this.text += `<${name}${attribute}>`;
      if (typeof content === 'string') this.text += content;
      else {
        this.text += lineEnd;
        for (const child of content) this.write(child, depth + 1);
        this.text += indentation;
      }
      this.text += `</${name}>`;
    }
    const end = this.text.length;
    this.text += lineEnd;
    this.parts.push({ start, end, outerStart, outerEnd: this.text.length });
  }
}
