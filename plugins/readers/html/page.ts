import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

export type Node = Tree.ChildNode;
export type Element = Tree.Element;

/** A page, and what it says of itself. */
export interface Page {
  readonly root: Tree.Document;
  /** How many elements it has. */
  readonly elements: number;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Tables and items of lists that are written as a sequence of blocks, because of what is in them. */
  readonly loose: ReadonlySet<Element>;
  /** How many elements that are never shown, and comments, it has. */
  readonly leftOut: Map<string, number>;
}

/** Elements whose content is never text of the page, each counted. */
export const NEVER_SHOWN: ReadonlySet<string> = new Set(
  'script style template iframe noembed noframes audio video canvas datalist'.split(' '),
);
/** Calls functions for each node of a tree, in order, however deep it is. @param enter whether its children are visited */
export function walk(
  root: Tree.ParentNode,
  enter: (node: Node) => boolean,
  leave: (node: Element) => void,
): void {
  const open: { readonly node: Tree.ParentNode; next: number }[] = [{ node: root, next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const child = top.node.childNodes[top.next++];
    if (child === undefined) {
      open.pop();
      if (top.node !== root) leave(top.node as Element);
    } else if (enter(child) && 'childNodes' in child) open.push({ node: child, next: 0 });
  }
}

export function attributeOf({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}

const HEADING = /^h[1-6]$/;
/** Blocks that do not fit into a cell. */
const LARGE = new Set('table pre listing xmp'.split(' '));

/** Looks through a page before it is written. @param counts of elements, and of comments that were left out */
export function survey(
  root: Tree.Document,
  { elements, comments }: Readonly<Record<'elements' | 'comments', number>>,
): Page {
  const loose = new Set<Element>();
  const leftOut = new Map(comments > 0 ? [['comment', comments]] : []);
  const about = new About();
  const around: Readonly<Record<string, Element[]>> = { table: [], li: [] };
  const loosen = (elements: readonly Element[] = []): void => {
    for (let at = elements.length - 1; at >= 0 && !loose.has(elements[at] as Element); at--)
      loose.add(elements[at] as Element);
  };
  const enter = (node: Node): boolean => {
    if (!('tagName' in node)) return false;
    const { nodeName: name } = node;
    about.see(node);
    if (NEVER_SHOWN.has(name)) leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    const isHeading = HEADING.test(name);
    if (isHeading) loosen(around.li);
    if (isHeading || LARGE.has(name)) loosen(around.table);
    if (name === 'table' && /^(?:presentation|none)$/.test(attributeOf(node, 'role') ?? '')) loose.add(node);
    around[name]?.push(node);
    return true;
  };
  walk(root, enter, ({ nodeName }) => around[nodeName]?.pop());
  return { root, elements, loose, leftOut, title: about.title, metadata: about.metadata };
}

/** Names of `meta`, in lower case, with the member of the metadata that each gives. */
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
const AUTHORS = new Set('author article:author dc.creator dcterms.creator citation_author'.split(' '));
const SPACES = /\s+/g;

/** What the head of a page says of it; the first of several counts, except of authors. */
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
