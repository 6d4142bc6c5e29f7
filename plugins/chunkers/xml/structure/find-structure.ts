import { isLineBreak, keepOptimised } from '../../../../core/kit.ts';
import type { Heading } from '../../../toolkit/heading-paths.ts';
import { startOnLine } from '../../../toolkit/lines.ts';
import { Edges, leadRank, NO_EDGE, type Parted, siblingRank } from './edges.ts';
import { Headings, type Scope } from './headings.ts';
import { CDATA, CDATA_END, CDATA_START, CLOSING, EMPTY, isSpace, OPENING, XmlReader } from './syntax.ts';
import { DOCUMENT, Tree } from './tree.ts';

const NOTHING = 0;
/** A comment, an instruction or a title: it introduces the next sibling. */
const LEAD = 1;
const ELEMENT = 2;
const TEXT = 3;

/** What comes before the current offset within the parent. */
type Before = typeof NOTHING | typeof LEAD | typeof ELEMENT | typeof TEXT;

interface Position {
  readonly start: number;
  /** Where the opening tag of the element ends. */
  readonly inner: number;
  /** The start of the tags and comments before the element's content. */
  readonly runStart: number;
  /** Index in the tree. An element that is too deep has the index of its deepest kept ancestor. */
  readonly index: number;
  readonly contentsBefore: number;
  readonly edge: number;
  /** Number of boundaries before the element's content. */
  readonly edgesBefore: number;
}

interface Open extends Scope, Position {
  readonly parent: Open | undefined;
  readonly depth: number;
  readonly isDeep: boolean;
  /** Index of the last boundary between the element's children. */
  lastEdge: number;
  children: number;
  texts: number;
  before: Before;
  /** The last child, if that child contains boundaries. */
  parted: Parted | undefined;
  hasParted: boolean;
}

export interface XmlStructure {
  readonly edges: Edges;
  readonly headings: readonly Heading[];
  readonly tree: Tree;
}

/**
 * Finds the structure of XML in one pass. The time is linear in the text, even if nesting is deep or broken. Boundaries
 * are between the children of each element, ranked by its depth. An element that is mainly text has boundaries only
 * next to children that contain boundaries, such as lists.
 */
export function findStructure(text: string): XmlStructure {
  return new StructureFinder(text).find();
}

const NO_OFFSET = -1;

class StructureFinder {
  readonly #text: string;
  readonly #reader: XmlReader;
  readonly #edges = new Edges();
  readonly #tree = new Tree();
  readonly #headings: Headings;
  readonly #document = openDocument();
  #top: Open = this.#document;
  /** The open elements by name, innermost last. */
  readonly #openByName = new Map<string, Open[]>();
  #behind = 0;
  /** Where the tags and comments before the next content begin. */
  #runStart = NO_OFFSET;

  constructor(text: string) {
    this.#text = text;
    this.#reader = new XmlReader(text);
    this.#headings = new Headings(text);
    if (text.charCodeAt(0) === BYTE_ORDER_MARK) this.#behind = 1;
  }

  find(): XmlStructure {
    const { length } = this.#text;
    while (this.#reader.read()) this.#readMarkup();
    this.#readText(length);
    while (this.#top !== this.#document) this.#leave(length, length);
    this.#takeBack(this.#document);
    return { edges: this.#edges, headings: this.#headings.found, tree: this.#tree };
  }

  #readMarkup(): void {
    const { kind, start, end } = this.#reader;
    this.#readText(start);
    if (kind === OPENING || kind === EMPTY) this.#open();
    else if (kind === CLOSING) this.#close();
    else if (kind === CDATA) this.#cdata(start, end);
    else this.#lead();
    this.#behind = end;
  }

  #readText(end: number): void {
    let start = this.#behind;
    while (start < end && isSpace(this.#text.charCodeAt(start))) start++;
    if (start < end) this.#content(start, end);
  }

  #cdata(start: number, end: number): void {
    let at = start + CDATA_START.length;
    while (isSpace(this.#text.charCodeAt(at))) at++;
    if (at < end - CDATA_END.length) this.#content(start, end);
  }

  #content(start: number, end: number): void {
    const top = this.#top;
    if (top.before !== TEXT) top.texts++;
    if (top.before === ELEMENT) this.#addEdge(top, this.#startOf(start), false);
    top.before = TEXT;
    top.parted = undefined;
    this.#addContent(start, end, top);
  }

  #addContent(start: number, end: number, owner: Open): void {
    this.#headings.content(this.#runStart === NO_OFFSET ? start : this.#runStart);
    this.#runStart = NO_OFFSET;
    this.#tree.addContent(start, end, owner.index, owner.isDeep);
  }

  /** Reads a comment or instruction. At the end of a line with other content, it stays with that content. */
  #lead(): void {
    const { start, end } = this.#reader;
    const top = this.#top;
    if (top.before !== NOTHING && this.#endsLine(start, end)) return;
    const position = this.#startOf(start);
    if (top.before === ELEMENT || top.before === TEXT) this.#addEdge(top, position, false);
    this.#beginRun(position);
    top.before = LEAD;
  }

  /** Whether markup is the last on its line, but not the first. */
  #endsLine(start: number, end: number): boolean {
    const text = this.#text;
    let at = end;
    while (isBlank(text.charCodeAt(at))) at++;
    if (at < text.length && !isLineBreak(text.charCodeAt(at))) return false;
    const lineStart = this.#startOf(start);
    return lineStart === start && !isLineBreak(text.charCodeAt(start - 1));
  }

  #open(): void {
    const { name, start, end, kind } = this.#reader;
    const parent = this.#top;
    const isLead = parent.before === NOTHING || parent.before === LEAD;
    const position = this.#startOf(start);
    const isFirst = parent === this.#document && parent.before === NOTHING;
    const edge = isFirst ? NO_EDGE : this.#addEdge(parent, position, isLead);
    this.#beginRun(position);
    const index = this.#tree.open(name, parent.index, start);
    const element = openElement(name, parent, {
      index,
      edge,
      edgesBefore: this.#edges.length,
      contentsBefore: this.#tree.contents,
      start,
      inner: end,
      runStart: this.#runStart,
    });
    parent.children++;
    parent.before = ELEMENT;
    parent.parted = undefined;
    this.#top = element;
    const namesakes = this.#openByName.get(name);
    if (namesakes === undefined) this.#openByName.set(name, [element]);
    else namesakes.push(element);
    if (kind === EMPTY) this.#leave(end, end);
  }

  #close(): void {
    const { name, start, end } = this.#reader;
    const element = this.#openByName.get(name)?.at(-1);
    if (element === undefined) return;
    while (this.#top !== element) this.#leave(start, start);
    const { parted, before, depth } = element;
    if (parted !== undefined && before === ELEMENT)
      this.#edges.add(this.#startOf(start), leadRank(depth), NO_EDGE, parted);
    this.#leave(start, end);
  }

  /** Ends the innermost element, with or without a closing tag. @param inner where its content ends */
  #leave(inner: number, end: number): void {
    const element = this.#top;
    const parent = element.parent as Open;
    this.#top = parent;
    this.#openByName.get(element.name)?.pop();
    if (!element.isDeep) this.#tree.close(element.index, end);
    const isEmpty = this.#tree.contents === element.contentsBefore;
    if (isEmpty) this.#addContent(element.start, element.inner, element);
    this.#takeBack(element);
    const isParted = this.#edges.length > element.edgesBefore;
    if (isParted) {
      parent.hasParted = true;
      parent.parted = this.#edges.addParted(element.start, end, element.edge);
    } else if (element.edge !== NO_EDGE && this.#edges.isLead(element.edge))
      this.#edges.takeBackFrom(element.edge);
    if (!isEmpty && this.#headings.close(element, element.inner, inner, this.#tree.contents))
      parent.before = LEAD;
  }

  #takeBack({ texts, children, hasParted, lastEdge, edgesBefore }: Open): void {
    const isText = texts > 0 && 2 * texts >= children;
    if (!isText) return;
    if (hasParted) this.#edges.takeBackInText(lastEdge);
    else this.#edges.takeBackFrom(edgesBefore);
  }

  #addEdge(parent: Open, offset: number, isLead: boolean): number {
    const rank = isLead ? leadRank(parent.depth) : siblingRank(parent.depth);
    const edge = this.#edges.add(offset, rank, parent.lastEdge, parent.parted);
    if (edge !== NO_EDGE && !isLead) parent.lastEdge = edge;
    return edge;
  }

  /** The offset; if only indentation is before the offset on its line, the start of that indentation. */
  #startOf(offset: number): number {
    return startOnLine(this.#text, this.#behind, offset);
  }

  #beginRun(offset: number): void {
    if (this.#runStart === NO_OFFSET) this.#runStart = offset;
  }
}

function openElement(name: string, parent: Open | undefined, position: Position): Open {
  return {
    name,
    parent,
    depth: parent === undefined ? 0 : parent.depth + 1,
    index: position.index,
    isDeep: position.index === parent?.index,
    start: position.start,
    inner: position.inner,
    edge: position.edge,
    edgesBefore: position.edgesBefore,
    lastEdge: NO_EDGE,
    children: 0,
    texts: 0,
    before: NOTHING,
    parted: undefined,
    hasParted: false,
    runStart: position.runStart,
    contentsBefore: position.contentsBefore,
    titled: parent?.titled ?? 0,
    hasTitle: false,
    headings: undefined,
  };
}

function openDocument(): Open {
  return openElement('', undefined, {
    index: DOCUMENT,
    edge: NO_EDGE,
    edgesBefore: 1,
    contentsBefore: 0,
    start: 0,
    inner: 0,
    runStart: 0,
  });
}

const BYTE_ORDER_MARK = 0xfeff;

function isBlank(unit: number): boolean {
  return unit === 32 || unit === 9;
}

keepOptimised(new StructureFinder(''));
