import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { refusedError } from '../../../core/errors.ts';
import { Formulas, isFormulaScript } from './formulas.ts';
import { attributeOf, BLOCKS, type Element, NEVER_SHOWN, type Node, walk, words } from './nodes.ts';
import { openShadow, orderRows } from './restructure.ts';
import { type Entities, PageTokenizer } from './tokenizer.ts';

export interface Page {
  readonly root: Tree.Document;
  readonly elements: number;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Tables and list items that contain blocks, and are therefore written as a sequence of blocks. */
  readonly loose: ReadonlySet<Element>;
  readonly leftOut: Map<string, number>;
  readonly formulas: Formulas;
  /** The source of what a page of frames shows without them; undefined for other pages. */
  readonly frameless: string | undefined;
}

/** UTF-16 units parsed between two checks of the signal. */
const SLICE = 1 << 20;
/** Maximum elements of a page. A larger tree would exceed the memory of a reader's thread. */
const MAX_ELEMENTS = 600_000;
/** Maximum nesting of elements; browsers allow 512. */
const MAX_DEPTH = 1000;
const MAX_SEARCHED_DEPTH = 100;
const READ = words(
  `alt aria-hidden class close colspan content epub:type hidden href lang linethickness multiple name open placeholder
  property rel reversed role rowspan selected separators shadowrootmode size slot start style type value xml:lang`,
);
/** Elements that are never replaced by their content: they have none, or it would become visible text. */
const NEVER_FLATTENED = words(
  'script style title textarea xmp iframe noembed noframes plaintext template select img input br hr',
);

interface ParseOptions {
  /** Whether the page is XHTML: any element may be self-closing, and CDATA sections are text. */
  readonly isXml: boolean;
  readonly signal: AbortSignal;
  /** Whether the main content is searched. The search needs all attributes, and is slow for deep trees. */
  readonly isSearched: boolean;
}

type Parse5 = typeof import('parse5');
type Parser = InstanceType<typeof import('parse5').Parser<Tree.DefaultTreeAdapterMap>>;

/**
 * Creates a function that parses a page by the HTML standard, but in linear time and memory. Formatting is
 * therefore not continued in later blocks. Elements that are nested too deep are replaced by their content,
 * after a line break if they are blocks.
 *
 * The function throws an error for callers if the page has too many elements.
 */
export function createParse(parse5: Parse5, entities: Entities) {
  const { Parser, defaultTreeAdapter, html, TokenizerMode } = parse5;
  const parse = async (source: string, { isXml, signal, isSearched }: ParseOptions): Promise<Page> => {
    const counts = { elements: 0, comments: 0, templates: 0 };
    const deepest = isSearched ? MAX_SEARCHED_DEPTH : MAX_DEPTH;
    const parser = new Parser({
      scriptingEnabled: false,
      treeAdapter: createAdapter(defaultTreeAdapter, counts),
    });
    const formatting = parser.activeFormattingElements;
    const push = formatting.pushElement.bind(formatting);
    // Only links need to be reopened in later blocks. Reopening all formatting would take quadratic time.
    formatting.pushElement = (element, token) => element.nodeName === 'a' && push(element, token);
    const open = parser.onStartTag.bind(parser);
    parser.onStartTag = (token) => {
      if (parser.openElements.tmplCount > MAX_DEPTH)
        throw refusal(`templates are nested more than ${MAX_DEPTH} deep`);
      if (parser.openElements.depth < deepest || NEVER_FLATTENED.has(token.tagName)) open(token);
      else if (BLOCKS.has(token.tagName)) open({ ...token, tagName: 'br', tagID: html.TAG_ID.BR, attrs: [] });
    };
    if (isXml) closeEmpty(parser, TokenizerMode.DATA);
    // Browsers drop most NUL characters, too.
    const text = (isXml ? withoutCdata(source) : source).replaceAll('\0', '');
    const isWanted = (attribute: string) => isSearched || READ.has(attribute);
    const tokenizer = new PageTokenizer(text, parser, { ...parse5, ...entities }, isWanted);
    Object.assign(parser, { tokenizer });
    do {
      signal.throwIfAborted();
      await new Promise(setImmediate);
    } while (tokenizer.read(SLICE));
    signal.throwIfAborted();
    return survey(parser.document, counts);
  };
  return async (source: string, options: ParseOptions): Promise<Page> => {
    const page = await parse(source, options);
    if (page.frameless === undefined) return page;
    const shown = await parse(page.frameless, options);
    const leftOut = new Map([...shown.leftOut, ...page.leftOut]);
    const metadata = { ...shown.metadata, ...page.metadata };
    return { ...shown, leftOut, metadata, title: page.title ?? shown.title };
  };
}

interface Counts {
  elements: number;
  comments: number;
  templates: number;
}

function createAdapter(adapter: Parse5['defaultTreeAdapter'], counts: Counts) {
  return {
    ...adapter,
    createElement(name, namespace, attributes) {
      if (++counts.elements > MAX_ELEMENTS) throw refusal(`it has more than ${MAX_ELEMENTS} elements`);
      if (name === 'template') counts.templates++;
      return adapter.createElement(name, namespace, attributes);
    },
    createCommentNode(data) {
      counts.comments++;
      return adapter.createCommentNode(data.slice(0, 0));
    },
    appendChild(parent, child) {
      if (child.nodeName !== '#comment') adapter.appendChild(parent, child);
    },
    insertText(parent, text) {
      if (!NEVER_SHOWN.has(parent.nodeName) || isKept(parent)) adapter.insertText(parent, text);
    },
    onItemPop(node) {
      // Copies the array, because an array that has grown keeps spare capacity.
      if ('childNodes' in node) node.childNodes = node.childNodes.slice();
    },
  } satisfies typeof adapter as typeof adapter;
}

/** Whether the text of an element that is never shown is read: what pages show without frames, and formulas. */
function isKept(parent: Tree.ParentNode): boolean {
  return (
    parent.nodeName === 'noframes' || (parent.nodeName === 'script' && isFormulaScript(parent as Element))
  );
}

const refusal = (reason: string): Error => refusedError(`The page cannot be read: ${reason}; divide it.`);

/** Closes elements such as `<script/>`, as in XML. */
function closeEmpty(parser: Parser, data: Parser['tokenizer']['state']): void {
  const open = parser.onStartTag.bind(parser);
  parser.onStartTag = (token) => {
    open(token);
    if (!token.selfClosing || token.ackSelfClosing) return;
    parser.onEndTag({ ...token, selfClosing: false });
    parser.tokenizer.state = data;
  };
}

/** Turns CDATA sections into text. The HTML parser would read them as comments. */
function withoutCdata(xml: string): string {
  const [before = '', ...sections] = xml.split('<![CDATA[');
  const parts = sections.map((section) => {
    const end = section.indexOf(']]>');
    const text = end === -1 ? section : section.slice(0, end);
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') + (end === -1 ? '' : section.slice(end + 3));
  });
  return before + parts.join('');
}

const HEADING = /^h[1-6]$/;
/** Blocks that cannot be written within a table cell. */
const LARGE = words('table pre listing xmp');

function survey(root: Tree.Document, { elements, comments, templates }: Readonly<Counts>): Page {
  const loose = new Set<Element>();
  const leftOut = new Map(comments > 0 ? [['comment', comments]] : []);
  const about = new About();
  const around: Readonly<Record<string, Element[]>> = { table: [], li: [] };
  const loosen = (elements: readonly Element[] = []): void => {
    for (let at = elements.length - 1; at >= 0 && !loose.has(elements[at] as Element); at--)
      loose.add(elements[at] as Element);
  };
  const formulas = new Formulas();
  let hasFrames = false;
  let frameless = '';
  const enter = (node: Node): boolean => {
    if (!('tagName' in node)) return false;
    const { nodeName: name } = node;
    about.see(node);
    const unslotted = templates > 0 ? openShadow(node) : 0;
    if (unslotted > 0) leftOut.set('hidden', (leftOut.get('hidden') ?? 0) + unslotted);
    if (name === 'table') orderRows(node);
    formulas.enter(node);
    hasFrames ||= name === 'frameset';
    if (name === 'noframes') frameless += textIn(node);
    else if (NEVER_SHOWN.has(name) && !formulas.tex.has(node))
      leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    const isHeading = HEADING.test(name);
    if (isHeading) loosen(around.li);
    if (isHeading || LARGE.has(name)) loosen(around.table);
    if (name === 'table' && /^(?:presentation|none)$/.test(attributeOf(node, 'role') ?? '')) loose.add(node);
    around[name]?.push(node);
    return true;
  };
  const leave = (node: Element): void => {
    around[node.nodeName]?.pop();
    formulas.leave(node);
  };
  walk(root, enter, leave);
  const isFrameless = hasFrames && frameless.trim() !== '';
  if (frameless !== '' && !isFrameless) leftOut.set('noframes', 1);
  const { title, metadata } = about;
  return {
    root,
    elements,
    loose,
    leftOut,
    title,
    metadata,
    formulas,
    frameless: isFrameless ? frameless : undefined,
  };
}

const textIn = ({ childNodes }: Element): string =>
  childNodes.map((node) => ('value' in node ? node.value : '')).join('');

const MEMBERS: Readonly<Record<string, string>> = {
  description: 'description',
  'og:description': 'description',
  'dc.description': 'description',
  date: 'created',
  'article:published_time': 'created',
  'dc.date': 'created',
  'dcterms.created': 'created',
  citation_publication_date: 'created',
  'last-modified': 'modified',
  'article:modified_time': 'modified',
  'dcterms.modified': 'modified',
};
const AUTHORS = words('author article:author dc.creator dcterms.creator citation_author');
const SPACES = /\s+/g;

/** Collects the metadata of a page: all authors, and the first value of each other member. */
class About {
  title: string | undefined;
  readonly #members: Record<string, string> = {};
  readonly #authors = new Set<string>();

  get metadata(): Readonly<Record<string, unknown>> {
    const authors = [...this.#authors];
    return { ...(authors.length > 0 && { authors }), ...this.#members };
  }

  see(element: Element): void {
    const { nodeName: name, namespaceURI } = element;
    if (name === 'title' && namespaceURI.endsWith('xhtml')) this.title ??= titleOf(element);
    else if (name === 'html')
      this.#add('language', attributeOf(element, 'lang') ?? attributeOf(element, 'xml:lang'));
    else if (name === 'link' && attributeOf(element, 'rel')?.toLowerCase() === 'canonical')
      this.#add('url', attributeOf(element, 'href'));
    else if (name === 'meta') this.#seeMeta(element);
  }

  #seeMeta(element: Element): void {
    const name = attributeOf(element, 'name') ?? attributeOf(element, 'property') ?? '';
    const content = attributeOf(element, 'content');
    const key = name.toLowerCase();
    if (AUTHORS.has(key)) {
      const author = content?.replace(SPACES, ' ').trim() ?? '';
      if (author !== '' && !author.startsWith('http')) this.#authors.add(author);
    } else if (Object.hasOwn(MEMBERS, key)) this.#add(MEMBERS[key] as string, content);
  }

  #add(member: string, value = ''): void {
    const text = value.replace(SPACES, ' ').trim();
    if (text !== '') this.#members[member] ??= text;
  }
}

function titleOf({ childNodes: [text] }: Element): string | undefined {
  const title = text !== undefined && 'value' in text ? text.value.replace(SPACES, ' ').trim() : '';
  return title === '' ? undefined : title;
}
