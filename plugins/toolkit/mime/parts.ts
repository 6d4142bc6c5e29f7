import { refusedError } from '../../../core/errors.ts';
import { fieldOf, type HeaderField, structured } from './header.ts';
import { decodeTransfer } from './transfer.ts';

/** A part of a MIME message, or the message itself. */
export interface MimePart {
  readonly fields: readonly HeaderField[];
  /** Media type in lower case: `text/html`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** `attachment`, `inline`, or empty. */
  readonly disposition: string;
  /** File name, as far as the part has one. */
  readonly name: string | undefined;
  /** Body before its transfer encoding is decoded. For a multipart, what is before its first part. */
  readonly body: Uint8Array;
  /** Parts of a multipart. */
  readonly parts: readonly MimePart[];
}

interface OpenPart extends Omit<MimePart, 'body' | 'parts'> {
  readonly start: number;
  body: Uint8Array;
  readonly parts: OpenPart[];
}

interface OpenMultipart {
  readonly part: OpenPart;
  readonly boundary: string;
}

const MAX_DEPTH = 100;
const MAX_PARTS = 50_000;
const MAX_BOUNDARY = 1000;
const MAX_HEADER = 2 * 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Finds the parts of a message in one pass. Bodies are views of `bytes`.
 *
 * @throws Error for callers if a header is too long, or parts are too many or nested too deeply
 */
export function parseMime(bytes: Uint8Array): MimePart {
  return new Parser(bytes).parse();
}

/** The first field of this name. */
export function fieldNamed({ fields }: Pick<MimePart, 'fields'>, name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value;
}

export function decodedBody(part: MimePart): Uint8Array {
  return decodeTransfer(part.body, transferEncoding(part));
}

function transferEncoding(part: MimePart): string {
  const value = fieldNamed(part, 'content-transfer-encoding') ?? '';
  return /[\w-]+/.exec(value.replace(/\([^()]*\)/g, '').toLowerCase())?.[0] ?? '';
}

class Parser {
  readonly #bytes: Buffer;
  readonly #open: OpenMultipart[] = [];
  /** Indexes in `#open` by the line that separates parts, innermost last. */
  readonly #lines = new Map<string, number[]>();
  /** First bytes of all boundaries. */
  readonly #firsts = new Set<number>();
  #longest = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  parse(): MimePart {
    const root = this.#begin(0, 'text/plain');
    let leaf: OpenPart | undefined = root;
    let at = this.#nextDelimiter(root.start);
    while (at !== -1) {
      const { line, end } = this.#lineAt(at);
      const level = this.#lines.get(line)?.at(-1) ?? this.#lines.get(withoutEnd(line))?.at(-1);
      if (level !== undefined) {
        if (leaf !== undefined)
          leaf.body = this.#bytes.subarray(leaf.start, beforeBreak(this.#bytes, leaf.start, at));
        this.#closeAbove(level);
        const { part } = this.#open[level] as OpenMultipart;
        leaf = this.#lines.has(line) ? this.#addPart(part, end) : undefined;
        if (leaf === undefined) this.#closeAbove(level - 1);
      }
      at = this.#nextDelimiter(leaf === undefined || level === undefined ? end : leaf.start);
    }
    if (leaf !== undefined) leaf.body = this.#bytes.subarray(leaf.start);
    return root;
  }

  #addPart(parent: OpenPart, at: number): OpenPart {
    const part = this.#begin(at, parent.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain');
    parent.parts.push(part);
    return part;
  }

  /** Reads the header of a part, and expects the parts of a multipart from there on. */
  #begin(at: number, usual: string): OpenPart {
    if (++this.#count > MAX_PARTS)
      throw refusedError(`The file cannot be read: it has more than ${MAX_PARTS} parts.`);
    const { fields, end } = this.#readHeader(at);
    const field = (name: string) => structured(fieldNamed({ fields }, name) ?? '', latin1);
    const { value, parameters } = field('content-type');
    const disposition = field('content-disposition');
    const type = /^[^\s/]+\/[^\s/]+$/.test(value) ? value : usual;
    const name = disposition.parameters.get('filename') ?? parameters.get('name');
    const part = {
      fields,
      type,
      parameters,
      disposition: disposition.value,
      name,
      start: end,
      body: this.#bytes.subarray(end, end),
      parts: [],
    };
    const boundary = parameters.get('boundary');
    if (type.startsWith('multipart/') && boundary !== undefined && boundary !== '')
      this.#expect(part, boundary.trimEnd());
    return part;
  }

  #expect(part: OpenPart, boundary: string): void {
    if (boundary.length > MAX_BOUNDARY)
      throw refusedError('The file cannot be read: a boundary of its parts is too long.');
    if (this.#open.length >= MAX_DEPTH)
      throw refusedError('The file cannot be read: its parts are nested too deeply.');
    const line = `--${boundary}`;
    const levels = this.#lines.get(line) ?? [];
    levels.push(this.#open.length);
    this.#lines.set(line, levels);
    this.#open.push({ part, boundary });
    this.#longest = Math.max(this.#longest, line.length + 2);
    this.#firsts.add(boundary.charCodeAt(0));
  }

  #closeAbove(level: number): void {
    for (const { boundary } of this.#open.splice(level + 1).reverse()) {
      const line = `--${boundary}`;
      const levels = this.#lines.get(line);
      levels?.pop();
      if (levels?.length === 0) this.#lines.delete(line);
    }
  }

  /** The fields up to a blank line, a line that is not a field, or the next delimiter. */
  #readHeader(from: number): { fields: HeaderField[]; end: number } {
    const fields: HeaderField[] = [];
    let at = from;
    while (at < this.#bytes.length) {
      const end = this.#fieldEnd(at);
      if (end - from > MAX_HEADER)
        throw refusedError(`The file cannot be read: a header takes more than ${MAX_HEADER} bytes.`);
      const line = this.#bytes.toString('latin1', at, end).replace(/[\r\n]+$/, '');
      if (line === '') return { fields, end };
      const field = fieldOf(line);
      const isDelimiter = line.startsWith('--');
      const isMark = field === undefined && at === from && /^>?From /.test(line);
      if (isDelimiter || (field === undefined && !isMark)) return { fields, end: at };
      if (field !== undefined) fields.push(field);
      at = end;
    }
    return { fields, end: at };
  }

  /** The end of the field that begins at `at`, with the lines that continue it. */
  #fieldEnd(at: number): number {
    let end = this.#lineEnd(at);
    if (isBlank(this.#bytes, at, end)) return end;
    while (
      (this.#bytes[end] === 0x20 || this.#bytes[end] === 0x09) &&
      !isBlank(this.#bytes, end, this.#lineEnd(end))
    )
      end = this.#lineEnd(end);
    return end;
  }

  #lineEnd(at: number): number {
    const feed = this.#bytes.indexOf(LINE_FEED, at);
    return feed === -1 ? this.#bytes.length : feed + 1;
  }

  /** The start of the next line that may separate parts; -1 if there is none or no parts are expected. */
  #nextDelimiter(from: number): number {
    if (this.#open.length === 0) return -1;
    const isLineStart = from === 0 || this.#bytes[from - 1] === LINE_FEED;
    let at =
      isLineStart && this.#bytes.toString('latin1', from, from + 2) === '--' ? from : this.#nextDashes(from);
    while (at !== -1 && !this.#firsts.has(this.#bytes[at + 2] ?? 0)) at = this.#nextDashes(at);
    return at;
  }

  /** The start of the next line after `from` that begins with `--`. */
  #nextDashes(from: number): number {
    const found = this.#bytes.indexOf('\n--', from);
    return found === -1 ? -1 : found + 1;
  }

  #lineAt(at: number): { line: string; end: number } {
    const end = this.#lineEnd(at);
    const line = this.#bytes.toString('latin1', at, Math.min(end, at + this.#longest + MAX_BLANKS)).trimEnd();
    return { line, end };
  }
}

/** Maximum blanks after a delimiter. */
const MAX_BLANKS = 200;

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const withoutEnd = (line: string): string => (line.endsWith('--') ? line.slice(0, -2) : '');

function isBlank(bytes: Buffer, at: number, end: number): boolean {
  return (
    end - at <= 2 &&
    [...bytes.subarray(at, end)].every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN)
  );
}

/** The offset of the line break before `at`, which belongs to the delimiter. */
function beforeBreak(bytes: Buffer, start: number, at: number): number {
  let end = at;
  if (end > start && bytes[end - 1] === LINE_FEED) end--;
  if (end > start && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return end;
}
