import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { refusedError } from '../../../core/kit.ts';
import { NEVER_SHOWN, type Page, survey } from './page.ts';
import { BLOCKS } from './writer.ts';

/** Units of text that are parsed between two looks at the signal. */
const SLICE = 1 << 20;
/** More take more memory than the thread of a reader has. */
const MAX_ELEMENTS = 600_000;
/** Elements are not nested deeper; browsers stop at 512. */
const MAX_DEPTH = 1000;
const MAX_SEARCHED_DEPTH = 100;
/** The attributes that are read. */
const READ = new Set(
  'alt aria-hidden class colspan content hidden href lang multiple name open placeholder property rel role rowspan selected size start style type value xml:lang'.split(
    ' ',
  ),
);
/** Elements that nothing is nested in, and those with content that would be seen without them. */
const NEVER_FLATTENED = new Set(
  'script style title textarea xmp iframe noembed noframes plaintext template select img input br hr'.split(
    ' ',
  ),
);

export interface ParseOptions {
  /** Whether it is XML, in which any element may be empty, and sections are text. */
  readonly isXml: boolean;
  readonly signal: AbortSignal;
  /** Whether its main content will be searched for: this reads all attributes, and takes long if elements are nested deep. */
  readonly isSearched: boolean;
}

type Parse5 = typeof import('parse5');
type Parser = InstanceType<typeof import('parse5').Parser<Tree.DefaultTreeAdapterMap>>;

/**
 * Creates the function that parses a page by the HTML standard, except that its memory and time are linear in the page,
 * for which formatting is not repeated in later blocks, and elements that are nested too deep are left out around their
 * content: a block is a line break there.
 *
 * The function throws an error for callers if the page has too many elements.
 */
export function createParse({ Parser, defaultTreeAdapter, html, TokenizerMode }: Parse5) {
  return async (source: string, { isXml, signal, isSearched }: ParseOptions): Promise<Page> => {
    const counts = { elements: 0, comments: 0, isSearched };
    const deepest = isSearched ? MAX_SEARCHED_DEPTH : MAX_DEPTH;
    const parser = new Parser({
      scriptingEnabled: false,
      treeAdapter: createAdapter(defaultTreeAdapter, counts),
    });
    const formatting = parser.activeFormattingElements;
    const push = formatting.pushElement.bind(formatting);
    // Other formatting is not written, and repeating all that is open in each block would be quadratic.
    formatting.pushElement = (element, token) => element.nodeName === 'a' && push(element, token);
    const open = parser.onStartTag.bind(parser);
    parser.onStartTag = (token) => {
      if (parser.openElements.tmplCount > MAX_DEPTH)
        throw refusal(`templates are nested more than ${MAX_DEPTH} deep`);
      if (parser.openElements.depth < deepest || NEVER_FLATTENED.has(token.tagName)) open(token);
      else if (BLOCKS.has(token.tagName)) open({ ...token, tagName: 'br', tagID: html.TAG_ID.BR, attrs: [] });
    };
    if (isXml) closeEmpty(parser, TokenizerMode.DATA);
    const text = isXml ? withoutCdata(source) : source;
    for (let at = 0; at < text.length || at === 0; at += SLICE) {
      signal.throwIfAborted();
      parser.tokenizer.write(text.slice(at, at + SLICE), at + SLICE >= text.length);
      await new Promise(setImmediate);
    }
    signal.throwIfAborted();
    return survey(parser.document, counts);
  };
}

interface Counts {
  elements: number;
  comments: number;
  readonly isSearched: boolean;
}

/** A tree without comments, and without the content of what is never shown. */
function createAdapter(adapter: Parse5['defaultTreeAdapter'], counts: Counts) {
  return {
    ...adapter,
    createElement(name, namespace, attributes) {
      if (++counts.elements > MAX_ELEMENTS) throw refusal(`it has more than ${MAX_ELEMENTS} elements`);
      const read = attributes.filter(({ name: attribute }) => counts.isSearched || READ.has(attribute));
      return adapter.createElement(name, namespace, read);
    },
    createCommentNode(data) {
      counts.comments++;
      return adapter.createCommentNode(data.slice(0, 0));
    },
    appendChild(parent, child) {
      if (child.nodeName !== '#comment') adapter.appendChild(parent, child);
    },
    insertText(parent, text) {
      if (!NEVER_SHOWN.has(parent.nodeName)) adapter.insertText(parent, text);
    },
    onItemPop(node) {
      // An array that has grown has room for more.
      if ('childNodes' in node) node.childNodes = node.childNodes.slice();
    },
  } satisfies typeof adapter as typeof adapter;
}

const refusal = (reason: string): Error => refusedError(`The page cannot be read: ${reason}; divide it.`);

/** In XML `<script/>` is a whole element. */
function closeEmpty(parser: Parser, data: Parser['tokenizer']['state']): void {
  const open = parser.onStartTag.bind(parser);
  parser.onStartTag = (token) => {
    open(token);
    if (!token.selfClosing || token.ackSelfClosing) return;
    parser.onEndTag({ ...token, selfClosing: false });
    parser.tokenizer.state = data;
  };
}

/** The sections of XML as text: the HTML parser would take them for comments. */
function withoutCdata(xml: string): string {
  const [before = '', ...sections] = xml.split('<![CDATA[');
  const parts = sections.map((section) => {
    const end = section.indexOf(']]>');
    const text = end === -1 ? section : section.slice(0, end);
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') + (end === -1 ? '' : section.slice(end + 3));
  });
  return before + parts.join('');
}
