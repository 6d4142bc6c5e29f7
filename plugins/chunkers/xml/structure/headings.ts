import type { Heading } from '../../../toolkit/heading-paths.ts';
import { decodeReferences } from '../../../toolkit/markup/index.ts';
import { CDATA, CDATA_END, CDATA_START, CLOSING, localName, OPENING, wordsIn, XmlReader } from './syntax.ts';

/** Elements whose title is a heading, in JATS, TEI, DITA, DocBook, RFCs, feeds and wikis. */
const CONTAINERS = wordsIn(`
  article book part chapter section sect1 sect2 sect3 sect4 sect5 simplesect preface appendix partintro set colophon
  dedication acknowledgements glossary bibliography index reference refentry refsect1 refsect2 refsect3 refsection
  book-part sec abstract trans-abstract app app-group ack ref-list fn-group notes boxed-text
  TEI text front body back div div1 div2 div3 div4 div5 div6 div7
  topic concept task troubleshooting glossentry example map bookmap
  rfc channel item feed entry page`);
/** Elements between a container and its title. */
const WRAPPERS = wordsIn(`
  info bookinfo articleinfo chapterinfo sectioninfo partinfo prefaceinfo appendixinfo setinfo referenceinfo
  front article-meta title-group book-meta book-title-group book-part-meta teiHeader fileDesc titleStmt`);
const TITLES = wordsIn('title head article-title book-title glossterm refentrytitle');
/** The title of a section in RFCs. */
const NAME = 'name';
const MAX_WRAPPERS = 4;
/** Maximum nesting of titled elements; deeper titles are text. Every chunk repeats the titles around it. */
const MAX_TITLED = 32;
const HTML_HEADING = /^h[1-6]$/i;
/** Difference between the levels of nested titled elements. HTML headings use the levels in between. */
const STEP = 10;

export interface Scope {
  readonly name: string;
  readonly parent: Scope | undefined;
  /** The start of the tags and comments before the element's content. */
  readonly runStart: number;
  /** Number of contents (texts and empty elements) before the element. */
  readonly contentsBefore: number;
  titled: number;
  hasTitle: boolean;
  /** Headings whose sections end with this element. */
  headings: OpenHeading[] | undefined;
}

type OpenHeading = { -readonly [Key in keyof Heading]: Heading[Key] };

export class Headings {
  readonly #text: string;
  readonly #found: OpenHeading[] = [];
  /** Headings whose elements have ended. Their `reach` is set when content follows. */
  readonly #ending: OpenHeading[] = [];
  /** Number of contents before the end of the last heading. */
  #contentsAtLast = -1;

  constructor(text: string) {
    this.#text = text;
  }

  get found(): readonly Heading[] {
    return this.#found.sort((a, b) => a.start - b.start || a.level - b.level);
  }

  /** Called when content begins. @param runStart where the tags before the content begin */
  content(runStart: number): void {
    for (let heading = this.#ending.pop(); heading !== undefined; heading = this.#ending.pop())
      heading.reach = runStart;
  }

  /** Called when an element with content ends. @returns whether the element is a heading for its next sibling */
  close(scope: Scope, inner: number, innerEnd: number, contents: number): boolean {
    for (const heading of scope.headings ?? []) this.#ending.push(heading);
    const name = localName(scope.name);
    if (HTML_HEADING.test(name)) {
      const level = scope.titled * STEP + Number(name[1]);
      this.#add(scope, scope.parent, level, [inner, innerEnd], contents);
      return true;
    }
    const container = TITLES.has(name) || name === NAME ? titledBy(scope, name) : undefined;
    if (container === undefined || container.hasTitle) return false;
    container.hasTitle = true;
    const isLead = container === scope.parent;
    if (container.titled === MAX_TITLED) return isLead;
    const titled = container.titled + 1;
    for (let at = scope.parent; at !== container.parent && at !== undefined; at = at.parent)
      at.titled = titled;
    this.#add(container, container, titled * STEP, [inner, innerEnd], contents);
    return isLead;
  }

  #add(
    { runStart, contentsBefore }: Scope,
    scope: Scope | undefined,
    level: number,
    [inner, innerEnd]: readonly [number, number],
    contents: number,
  ): void {
    const last = this.#found.at(-1);
    if (last !== undefined && contentsBefore === this.#contentsAtLast) last.isLead = last.level < level;
    this.#contentsAtLast = contents;
    const name = () => titleText(this.#text.slice(inner, innerEnd));
    const heading = { start: runStart, level, isLead: false, reach: undefined, name };
    this.#found.push(heading);
    if (scope !== undefined) {
      scope.headings ??= [];
      scope.headings.push(heading);
    }
  }
}

/** The element that a title belongs to; undefined if the title is text. */
function titledBy(title: Scope, name: string): Scope | undefined {
  let scope = title.parent;
  for (let count = 0; scope !== undefined && count < MAX_WRAPPERS; count++) {
    const around = localName(scope.name);
    if (name === NAME) return around === 'section' ? scope : undefined;
    if (!WRAPPERS.has(around) || (around === 'front' && count === 0))
      return CONTAINERS.has(around) ? scope : undefined;
    scope = scope.parent;
  }
  return scope !== undefined && CONTAINERS.has(localName(scope.name)) ? scope : undefined;
}

const MAX_READ = 2000;
const MAX_NAME = 200;

/** Notes and index entries, whose text does not belong to the title. */
const ASIDE = wordsIn('fn xref-fn footnote note indexterm index-term index');

/** Removes tags, comments and notes, decodes references and collapses white space. */
function titleText(xml: string): string {
  const whole = textOf(xml.slice(0, MAX_READ))
    .replace(/\u00ad/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toWellFormed();
  return whole.length <= MAX_NAME ? whole : Array.from(whole).slice(0, MAX_NAME).join('').trimEnd();
}

function textOf(xml: string): string {
  const reader = new XmlReader(xml);
  let text = '';
  let behind = 0;
  let asides = 0;
  const add = (part: string) => {
    if (asides === 0) text += part;
  };
  while (reader.read()) {
    const { kind, name, start, end } = reader;
    add(decodeReferences(xml.slice(behind, start)));
    if (kind === CDATA) add(xml.slice(start + CDATA_START.length, end - CDATA_END.length));
    else if (ASIDE.has(localName(name)) && (kind === OPENING || kind === CLOSING))
      asides = Math.max(asides + (kind === OPENING ? 1 : -1), 0);
    behind = end;
  }
  add(decodeReferences(xml.slice(behind)));
  return text;
}
