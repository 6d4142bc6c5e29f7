import type { Delimiters, Dialect, Role } from './dialects.ts';

export interface Tag {
  readonly start: number;
  readonly end: number;
  readonly role: Exclude<Role['role'], 'text'> | 'front_matter';
  readonly key: string;
  /** Whether the tag belongs to the template language. The end of its block also closes the HTML elements within. */
  readonly isBlock: boolean;
  readonly name: readonly [start: number, end: number];
  /** The range of the content, if the element holds code instead of markup; otherwise undefined. */
  readonly content?: readonly [start: number, end: number];
}

/** Maximum characters read within tags and braces, per character of the text. Tags after that are text. */
const MAX_READ = 16;

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
const RAW = /^(?:script|style|textarea|xmp)$/i;
const NAME = /[A-Za-z][^\s/>{}"'<=]*/y;

/** Reads the tags of a template in one pass. Unclosed tags are text. */
export function scanTags(text: string, dialect: Dialect): Tag[] {
  const scan = new Scanner(text, dialect);
  const tags: Tag[] = [];
  for (let at = scan.start(tags); at < text.length; ) at = scan.next(at, tags);
  return tags;
}

class Scanner {
  readonly #text: string;
  readonly #dialect: Dialect;
  readonly #candidates: RegExp;
  readonly #hasElements: boolean;
  /** Patterns without a match in the rest of the text. */
  readonly #missing = new Set<string>();
  #readable: number;
  /** Number of open `template` elements. If the dialect has parts, elements outside of all templates are parts. */
  #depth = 0;

  constructor(text: string, dialect: Dialect) {
    this.#text = text;
    this.#dialect = dialect;
    this.#hasElements = !dialect.isAnyText || /<\/[A-Za-z]/.test(text);
    const first = new Set(dialect.tags.map(({ open }) => open[0]));
    this.#candidates = new RegExp(`[<${[...first].join('')}]`, 'g');
    this.#readable = MAX_READ * text.length;
  }

  start(tags: Tag[]): number {
    if (this.#dialect.frontMatter === undefined) return 0;
    const found = frontMatterIn(this.#text);
    if (found === undefined) return 0;
    tags.push(found);
    return found.end;
  }

  /** Reads the next tag at or after an offset. @returns where to continue */
  next(from: number, tags: Tag[]): number {
    this.#candidates.lastIndex = from;
    const at = this.#candidates.exec(this.#text)?.index;
    if (at === undefined) return this.#text.length;
    return this.#templateTag(at, tags) ?? this.#markup(at, tags) ?? at + 1;
  }

  #templateTag(at: number, tags: Tag[]): number | undefined {
    for (const delimiters of this.#dialect.tags) {
      const end = this.#tagEnd(delimiters, at);
      if (end === undefined) continue;
      const start = at + delimiters.open.length;
      const content = this.#text.slice(start, end.close);
      const { role, key, name } = delimiters.role(content);
      const nameStart = start + Math.max(content.indexOf(name), 0);
      const range = [nameStart, nameStart + name.length] as const;
      if (role !== 'text') tags.push({ start: at, end: end.end, role, key, isBlock: true, name: range });
      return end.end;
    }
    return undefined;
  }

  #tagEnd({ open, close }: Delimiters, at: number): { close: number; end: number } | undefined {
    if (!this.#text.startsWith(open, at)) return undefined;
    const start = at + open.length;
    if (close === 'none') return { close: start, end: start };
    if (close === 'brace') {
      const end = this.#braceEnd(at);
      return end === undefined ? undefined : { close: end - 1, end };
    }
    return this.#find(close, start);
  }

  /** Finds the first match of a global pattern. A pattern without a match is searched only once. */
  #find(pattern: RegExp, from: number): { close: number; end: number } | undefined {
    if (this.#missing.has(pattern.source)) return undefined;
    pattern.lastIndex = from;
    const found = pattern.exec(this.#text);
    if (found === null) {
      this.#missing.add(pattern.source);
      return undefined;
    }
    return { close: found.index, end: pattern.lastIndex };
  }

  #markup(at: number, tags: Tag[]): number | undefined {
    const text = this.#text;
    if (text[at] !== '<' || !this.#hasElements) return undefined;
    if (text.startsWith('<!--', at)) {
      const end = this.#find(/-->/g, at + 4)?.end;
      if (end !== undefined) {
        const name = [at, at] as const;
        tags.push({ start: at, end, role: 'comment', key: '', isBlock: false, name });
      }
      return end;
    }
    const isClosing = text[at + 1] === '/';
    NAME.lastIndex = at + (isClosing ? 2 : 1);
    const name = NAME.exec(text)?.[0];
    if (name === undefined) return undefined;
    const range = [NAME.lastIndex - name.length, NAME.lastIndex] as const;
    const end = this.#elementEnd(NAME.lastIndex);
    if (end === undefined) return undefined;
    const isEmpty = text[end - 2] === '/' || VOID.test(name);
    const content = isClosing || isEmpty ? undefined : this.#partAt(at, name, end);
    const behind = content === undefined ? end : text.indexOf('>', content[1]) + 1;
    const role = isClosing ? 'close' : isEmpty || content !== undefined ? 'single' : 'open';
    if (name === TEMPLATE && role !== 'single') this.#depth = Math.max(this.#depth + (isClosing ? -1 : 1), 0);
    const tag = { start: at, end: behind, role, key: name, isBlock: false, name: range } as const;
    tags.push(content === undefined ? tag : { ...tag, content });
    return behind;
  }

  /** The range of the content of a part; undefined if the element holds markup or has no closing tag. */
  #partAt(at: number, name: string, end: number): readonly [number, number] | undefined {
    const isPart =
      this.#dialect.hasParts && this.#depth === 0 && !isTemplate(name, this.#text.slice(at, end));
    if (!isPart && !RAW.test(name)) return undefined;
    if (this.#readable <= 0) return undefined;
    const tag = name.toLowerCase().replace(/[^\w-]/g, '.');
    const close = this.#find(new RegExp(`</${tag}\\s*>`, 'gi'), end);
    if (close === undefined) this.#readable -= this.#text.length - end;
    return close && [end, close.close];
  }

  /**
   * The offset after the `>` of a tag, skipping values and template tags; undefined if another tag begins first.
   */
  #elementEnd(from: number): number | undefined {
    const text = this.#text;
    for (let at = from; at < text.length && this.#readable-- > 0; at++) {
      const unit = text[at];
      if (unit === '>') return at + 1;
      if (unit === '<' || unit === '{') {
        const end = this.#skipped(at);
        if (end !== undefined) at = end - 1;
        else if (unit === '<') return undefined;
      } else if (unit === '"' || unit === "'") {
        const end = this.#quoteEnd(at, unit);
        if (end === undefined) return undefined;
        at = end - 1;
      }
    }
    return undefined;
  }

  /** The offset after the closing quotation mark, skipping template tags. */
  #quoteEnd(start: number, quote: string): number | undefined {
    const text = this.#text;
    for (let at = start + 1; at < text.length && this.#readable-- > 0; at++) {
      const unit = text[at];
      if (unit === quote) return at + 1;
      if (unit === '<' || unit === '{') at = (this.#skipped(at) ?? at + 1) - 1;
    }
    return undefined;
  }

  /** The offset after the template tag or braced value that begins at an offset; undefined if none begins there. */
  #skipped(at: number): number | undefined {
    if (this.#dialect.hasBracedValues) return this.#text[at] === '{' ? this.#braceEnd(at) : undefined;
    for (const delimiters of this.#dialect.tags) {
      const found = this.#tagEnd(delimiters, at);
      if (found !== undefined) return found.end;
    }
    return undefined;
  }

  /** The offset after the matching brace, skipping strings and comments. */
  #braceEnd(start: number): number | undefined {
    const text = this.#text;
    let depth = 0;
    for (let at = start; at < text.length && this.#readable-- > 0; at++) {
      const unit = text[at] as string;
      if (unit === '{') depth++;
      else if (unit === '}' && --depth === 0) return at + 1;
      else if ('"\'`/'.includes(unit)) at = this.#literalEnd(at, unit) - 1;
    }
    return undefined;
  }

  /** The offset after the string or comment at `start`; `start + 1` if neither begins there. */
  #literalEnd(start: number, mark: string): number {
    const text = this.#text;
    const second = text[start + 1];
    if (mark === '/' && second !== '/' && second !== '*') return start + 1;
    for (let at = start + 1; at < text.length && this.#readable-- > 0; at++) {
      const unit = text[at];
      if (mark === '/' && second === '*') {
        if (unit === '*' && text[at + 1] === '/' && at > start + 1) return at + 2;
      } else if (unit === '\n' && mark !== '`') return mark === '/' ? at : start + 1;
      else if (unit === '\\') at++;
      else if (unit === mark && mark !== '/') return at + 1;
    }
    return start + 1;
  }
}

const TEMPLATE = 'template';

/** Whether an element is a `template` in HTML, not in a language such as Pug. */
function isTemplate(name: string, tag: string): boolean {
  return name === TEMPLATE && !/\slang\s*=\s*["']?(?!html)\w/.test(tag);
}

const FRONT_MATTER = /^\ufeff?\s*---[ \t]*\r?\n/;

function frontMatterIn(text: string): Tag | undefined {
  const [open] = FRONT_MATTER.exec(text) ?? [];
  if (open === undefined) return undefined;
  const close = /^---[ \t]*$/gm;
  close.lastIndex = open.length;
  const found = close.exec(text);
  if (found === null) return undefined;
  const start = open.length - open.trimStart().length;
  const content = [open.length, found.index] as const;
  return {
    start,
    end: close.lastIndex,
    role: 'front_matter',
    key: '',
    isBlock: false,
    name: [start, start],
    content,
  };
}
