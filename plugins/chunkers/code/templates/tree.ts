import { findLanguage, type Language } from '../languages.ts';
import { lineStartsOf, positionOf, rangeOf, type SyntaxNode } from '../syntax.ts';
import type { Dialect } from './dialects.ts';
import { scanTags, type Tag } from './scan.ts';

/** Maximum nesting of elements and blocks; deeper tags become single nodes. */
const MAX_DEPTH = 200;

export function markupTree(text: string, dialect: Dialect): SyntaxNode {
  const tags = scanTags(text, dialect);
  const partners = pairsOf(tags);
  const source: Source = { text, lineStarts: lineStartsOf(text) };
  const root = new MarkupNode(source, 'document', 0, text.length);
  const open = [root];
  let covered = 0;
  const add = (node: MarkupNode) => {
    const around = open.at(-1) as MarkupNode;
    addText(source, around, covered, node.startIndex);
    around.add(node);
    covered = node.endIndex;
  };
  tags.forEach((tag, index) => {
    const partner = partners[index];
    if (partner === undefined && isNameless(tag)) return;
    if (partner === undefined || (open.length > MAX_DEPTH && partner > index))
      add(nodeOf(source, tag, dialect));
    else if (partner > index) {
      const pair = new MarkupNode(source, typeOf(tag), tag.start, (tags[partner] as Tag).end, tag.name);
      add(pair);
      open.push(pair);
      covered = tag.start;
      add(new MarkupNode(source, 'start', tag.start, tag.end));
    } else {
      const isEnd = open.at(-1)?.endIndex === tag.end;
      add(new MarkupNode(source, isEnd ? 'end' : 'tag', tag.start, tag.end));
      if (isEnd) open.pop();
    }
  });
  addText(source, root, covered, text.length);
  return root;
}

/** Whether a tag is a single brace. Unmatched braces are text, because a text may have a million of them. */
function isNameless({ role, isBlock, name }: Tag): boolean {
  return isBlock && name[0] === name[1] && (role === 'open' || role === 'close');
}

function typeOf({ isBlock, name }: Tag): string {
  if (!isBlock) return 'element';
  return name[0] < name[1] ? 'block' : 'expression';
}

function nodeOf(source: Source, tag: Tag, dialect: Dialect): MarkupNode {
  const { role, isBlock, start, end, name, content } = tag;
  if (content === undefined) {
    const type = role === 'comment' ? role : role === 'single' && !isBlock ? 'element' : 'tag';
    return new MarkupNode(source, type, start, end, name);
  }
  const type = role === 'front_matter' ? role : 'element';
  const node = new MarkupNode(source, type, start, end, name);
  const language = languageOf(source.text, tag, dialect);
  const isBlank = source.text.slice(...content).trim() === '';
  if (language !== undefined && !isBlank)
    node.embedded = { language, range: rangeOf(source.lineStarts, ...content) };
  return node;
}

const ATTRIBUTE = /\s(lang|type)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;
const MAX_TAG_LENGTH = 2000;

function languageOf(
  text: string,
  { role, start, name, content }: Tag,
  dialect: Dialect,
): Language | undefined {
  if (role === 'front_matter') return findLanguage(dialect.frontMatter ?? '');
  const tag = text.slice(start, Math.min(content?.[0] ?? start, start + MAX_TAG_LENGTH));
  const attributes = new Map<string, string>();
  for (const [, key = '', ...values] of tag.matchAll(ATTRIBUTE))
    attributes.set(key, values.find((value) => value !== undefined) ?? '');
  const language = attributes.get('lang') ?? ofType(attributes.get('type'));
  const element = text.slice(...name).toLowerCase();
  return findLanguage(language ?? DEFAULTS[element]?.(dialect) ?? '');
}

const DEFAULTS: Readonly<Record<string, (dialect: Dialect) => string>> = {
  script: ({ script }) => script,
  style: () => 'css',
  i18n: () => 'json',
  route: () => 'json',
  docs: () => 'markdown',
};

/** The language of a media type; '' if the type is not code; undefined if the element's default language applies. */
function ofType(type: string | undefined): string | undefined {
  if (
    type === undefined ||
    /^(?:module|(?:text|application)\/(?:x-)?(?:javascript|ecmascript|css|babel|jsx))?$/.test(type)
  )
    return undefined;
  if (/typescript/.test(type)) return 'typescript';
  return /json|^importmap$/.test(type) ? 'json' : '';
}

/**
 * Pairs opening and closing tags by index. The end of a block closes all elements in it; elements close no block.
 */
function pairsOf(tags: readonly Tag[]): (number | undefined)[] {
  const partners: (number | undefined)[] = new Array(tags.length).fill(undefined);
  const ends = new Set(tags.flatMap(({ role, isBlock, key }) => (role === 'close' && isBlock ? key : [])));
  const blocks = new OpenTags();
  /** Open elements: at first those outside all blocks, then those within each open block. */
  const elements = [new OpenTags()];
  tags.forEach(({ role, isBlock, key }, index) => {
    const open = isBlock ? blocks : (elements.at(-1) as OpenTags);
    if (role === 'open' && (!isBlock || ends.has(key))) {
      open.push(key, index);
      if (isBlock) elements.push(new OpenTags());
    } else if (role === 'close') {
      const partner = open.close(key);
      if (partner === undefined) return;
      if (isBlock) elements.length = blocks.size + 1;
      partners[partner] = index;
      partners[index] = partner;
    }
  });
  return partners;
}

class OpenTags {
  readonly #open: { readonly key: string; readonly index: number }[] = [];
  readonly #counts = new Map<string, number>();

  get size(): number {
    return this.#open.length;
  }

  push(key: string, index: number): void {
    this.#open.push({ key, index });
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Removes the innermost open tag with a key, and all tags in it. @returns its index; undefined if none is open */
  close(key: string): number | undefined {
    if ((this.#counts.get(key) ?? 0) === 0) return undefined;
    for (;;) {
      const last = this.#open.pop() as { key: string; index: number };
      this.#counts.set(last.key, (this.#counts.get(last.key) as number) - 1);
      if (last.key === key) return last.index;
    }
  }
}

interface Source {
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** Adds the text between two nodes, without leading and trailing white space. */
function addText(source: Source, around: MarkupNode, start: number, end: number): void {
  if (start >= end) return;
  const text = source.text.slice(start, end);
  const ink = text.trim().length;
  if (ink === 0) return;
  const from = start + text.length - text.trimStart().length;
  around.add(new MarkupNode(source, 'text', from, from + ink));
}

class MarkupNode implements SyntaxNode {
  static #count = 0;
  readonly id = MarkupNode.#count--;
  readonly namedChildren: MarkupNode[] = [];
  parent: MarkupNode | null = null;
  embedded: SyntaxNode['embedded'];
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly #source: Source;
  readonly #name: readonly [number, number] | undefined;

  constructor(source: Source, type: string, start: number, end: number, name?: readonly [number, number]) {
    this.#source = source;
    this.type = type;
    this.startIndex = start;
    this.endIndex = end;
    this.#name = name;
  }

  add(child: MarkupNode): void {
    child.parent = this;
    this.namedChildren.push(child);
  }

  get firstNamedChild(): MarkupNode | null {
    return this.namedChildren[0] ?? null;
  }

  get startPosition() {
    return positionOf(this.#source.lineStarts, this.startIndex);
  }

  get endPosition() {
    return positionOf(this.#source.lineStarts, this.endIndex);
  }

  childForFieldName(field: string): MarkupNode | null {
    const [start, end] = this.#name ?? [0, 0];
    return field === 'name' && start < end ? new MarkupNode(this.#source, 'name', start, end) : null;
  }

  descendantsOfType(): MarkupNode[] {
    return [];
  }
}
