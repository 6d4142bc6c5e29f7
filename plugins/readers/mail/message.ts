import { refusedError } from '../../../core/kit.ts';
import {
  type DecodeBytes,
  decodedBody,
  fieldNamed,
  headerText,
  type MimePart,
  parseMime,
} from '../../toolkit/mime/index.ts';
import { type Bodies, isRefusal } from './bodies.ts';
import { calendarBlocks } from './calendar.ts';
import { type Attachment, attachmentBlocks, type Envelope, envelopeOf, headingBlocks } from './envelope.ts';
import { plainMarkdown, unenriched, unflowed, withoutBlankEnds } from './plain.ts';
import { signedContent } from './signed.ts';

/** What is left out of the text, by kind. */
export type Counts = Map<string, number>;

export interface ReadBody {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export interface ReadMessage extends ReadBody {
  readonly envelope: Envelope;
}

/** Maximum levels of messages within messages. */
const MAX_MESSAGES = 20;
const MESSAGES = /^message\/(?:rfc822|global|news)$/;
/** Reports about mail, whose fields are text. */
const REPORTS =
  /^message\/(?:delivery-status|global-delivery-status|disposition-notification|feedback-report)$/;
const SIGNATURES = /^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/;
const SMIME = /^application\/(?:x-)?pkcs7-mime$/;
const TNEF = /^application\/(?:ms-tnef|vnd\.ms-tnef)$/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const ENRICHED = /^text\/(?:enriched|richtext)$/;
/** Text that is not for people. */
const NOT_SHOWN = /^text\/(?:x-amp-html|watch-html|rtf|x-vcard|vcard|directory|css|javascript|xml)$/;
const ARMOUR = /^-----BEGIN PGP MESSAGE-----[\s\S]*-----END PGP MESSAGE-----$/;

/**
 * Reads a message: its subject as a heading, the best representation of its body, and a list of its attachments.
 *
 * @throws Error for callers if it is not a message, or is encrypted or damaged
 */
export function readMessage(bytes: Uint8Array, bodies: Bodies, counts: Counts): Promise<ReadMessage> {
  const part = parseMime(bytes);
  if (!part.fields.some(({ name }) => KNOWN.test(name)))
    throw refusedError(
      'The file cannot be read: it is not an e-mail, because it does not begin with fields such as From.',
    );
  return new MessageReader(bodies, counts).read(part, { level: 1, depth: 0 });
}

const KNOWN =
  /^(?:from|to|cc|bcc|subject|date|message-id|received|return-path|reply-to|sender|mime-version|content-type|newsgroups|delivered-to|in-reply-to|x-.*)$/;

/** Reads a message of a mailbox, with the facts of its header. If it cannot be read, it is counted. */
export async function readWithin(bytes: Uint8Array, bodies: Bodies, counts: Counts): Promise<string> {
  try {
    const reader = new MessageReader(bodies, counts);
    return (await reader.read(parseMime(bytes), { level: 1, depth: 1 })).text;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    counts.set('message', (counts.get('message') ?? 0) + 1);
    return '';
  }
}

/** Reads a part without the fields of a message. */
export function readPart(part: MimePart, bodies: Bodies, counts: Counts, level: Level): Promise<ReadBody> {
  return new MessageReader(bodies, counts).readBody(part, level);
}

export interface Level {
  /** Level of the heading of a message. */
  readonly level: number;
  /** Number of messages or mailboxes around it. */
  readonly depth: number;
}

class MessageReader {
  readonly #bodies: Bodies;
  readonly #counts: Counts;
  #level: Level = { level: 1, depth: 0 };
  #blocks: string[] = [];
  #attachments: Attachment[] = [];
  #decode: DecodeBytes = latin1;

  constructor(bodies: Bodies, counts: Counts) {
    this.#bodies = bodies;
    this.#counts = counts;
  }

  async read(part: MimePart, level: Level): Promise<ReadMessage> {
    this.#decode = await this.#decoderOf(part);
    const envelope = envelopeOf(part, this.#decode);
    const { text: body, attachments } = await this.readBody(part, level);
    const blocks = [...headingBlocks(envelope, level.level, level.depth > 0), body];
    return { envelope, attachments, text: joined(blocks) };
  }

  async readBody(part: MimePart, level: Level): Promise<ReadBody> {
    this.#level = level;
    await this.#body(part, true);
    const blocks = [...this.#blocks, ...attachmentBlocks(this.#attachments)];
    return { text: joined(blocks), attachments: this.#attachments };
  }

  /** A decoder for bytes of the header that are not UTF-8: in the encoding of the text, or one that is detected. */
  async #decoderOf(part: MimePart): Promise<DecodeBytes> {
    const values = part.fields.filter(({ name, value }) => SHOWN.has(name) && NOT_ASCII.test(value));
    if (values.length === 0) return latin1;
    const bytes = Buffer.from(values.map(({ value }) => value).join('\n'), 'latin1');
    const lines = (await this.#bodies.text(bytes, charsetIn(part))).split('\n');
    const decoded = new Map(values.map(({ value }, index) => [value, lines[index] ?? value]));
    return (given) => {
      const value = latin1(given);
      return decoded.get(value) ?? value;
    };
  }

  async #body(part: MimePart, isRoot = false): Promise<void> {
    const { type, parts } = part;
    if (type.startsWith('multipart/') && parts.length > 0) return this.#multipart(part);
    if (SIGNATURES.test(type)) return this.#count('signature');
    if (SMIME.test(type)) return this.#smime(part);
    if (TNEF.test(type)) return this.#tnef(part);
    if (MESSAGES.test(type) || isFirstPiece(part)) return this.#message(part);
    if (REPORTS.test(type) || type === 'text/rfc822-headers') return this.#text(part);
    const isShown = type.startsWith('text/') && !NOT_SHOWN.test(type);
    if (part.disposition === 'attachment' && !isRoot) return this.#attach(part);
    if (HTML.test(type)) return this.#html(part);
    if (type === 'text/calendar') return this.#calendar(part);
    if (isShown || type.startsWith('multipart/')) return this.#text(part);
    return this.#attach(part);
  }

  async #multipart(part: MimePart): Promise<void> {
    const { type, parts } = part;
    const [first, ...others] = parts;
    if (type === 'multipart/encrypted') return this.#encrypted('PGP/MIME');
    if (type === 'multipart/alternative') return this.#alternative(parts);
    if (type === 'multipart/related') return this.#related(part);
    if (type === 'multipart/appledouble' && others.length > 0) {
      for (const other of others) await this.#body(other);
      return;
    }
    if (type === 'multipart/signed' && first !== undefined) {
      await this.#body(first);
      for (const other of others) if (!SIGNATURES.test(other.type)) await this.#body(other);
      return others.some(({ type }) => SIGNATURES.test(type)) ? this.#count('signature') : undefined;
    }
    for (const one of parts) await this.#body(one);
  }

  /** Reads the best representation. If it is blank or cannot be read, the next one is read instead. */
  async #alternative(parts: readonly MimePart[]): Promise<void> {
    const ranked = parts
      .map((part, index) => ({ part, index, rank: rankOf(part) }))
      .filter(({ rank }) => rank > 0)
      .sort((one, other) => other.rank - one.rank || other.index - one.index);
    let chosen: MimePart | undefined;
    for (const [index, { part }] of ranked.entries()) {
      const before = this.#blocks.length;
      try {
        await this.#body(part, true);
      } catch (error) {
        if (index === ranked.length - 1) throw error;
        this.#blocks.length = before;
        continue;
      }
      chosen = part;
      if (this.#blocks.slice(before).some((block) => block.trim() !== '')) break;
    }
    for (const part of parts) {
      if (part === chosen) continue;
      if (rankOf(part) === 0) await this.#body(part);
      else for (const file of filesIn(part)) await this.#attach(file);
    }
  }

  async #related(part: MimePart): Promise<void> {
    const start = part.parameters.get('start')?.replace(/^<|>$/g, '');
    const isStart = (one: MimePart) => start !== undefined && idOf(one) === start;
    const root = part.parts.find(isStart) ?? part.parts.find((one) => rankOf(one) > 0) ?? part.parts[0];
    if (root !== undefined) await this.#body(root);
    for (const one of part.parts) {
      if (one === root) continue;
      const isResource = one.disposition !== 'attachment' && (idOf(one) !== '' || isLocated(one));
      if (isResource && !MESSAGES.test(one.type) && !one.type.startsWith('multipart/'))
        this.#count('inline_file');
      else await this.#body(one);
    }
  }

  async #html(part: MimePart): Promise<void> {
    const text = await this.#bodies.html(decodedBody(part), part.parameters.get('charset'));
    this.#add(text);
  }

  async #text(part: MimePart): Promise<void> {
    const { type, parameters } = part;
    const text = await this.#bodies.text(decodedBody(part), parameters.get('charset'));
    if (ARMOUR.test(text.trim())) return this.#encrypted('PGP');
    if (type === 'text/markdown') return this.#add(withoutBlankEnds(text));
    const isFlowed = /^flowed$/i.test(parameters.get('format') ?? '');
    const whole = isFlowed ? unflowed(text, /^yes$/i.test(parameters.get('delsp') ?? '')) : text;
    this.#add(plainMarkdown(ENRICHED.test(type) ? unenriched(whole) : whole));
  }

  async #calendar(part: MimePart): Promise<void> {
    const text = await this.#bodies.text(decodedBody(part), part.parameters.get('charset') ?? 'utf-8');
    for (const block of calendarBlocks(text, this.#blocks.join('\n'))) this.#add(block);
  }

  async #message(part: MimePart): Promise<void> {
    const { level, depth } = this.#level;
    if (depth >= MAX_MESSAGES) return this.#count('nested_message');
    const inner = new MessageReader(this.#bodies, this.#counts);
    const nested = { level: level + 1, depth: depth + 1 };
    const { text } = await inner.read(parseMime(decodedBody(part)), nested);
    this.#add(text);
  }

  async #smime(part: MimePart): Promise<void> {
    const kind = part.parameters.get('smime-type')?.toLowerCase() ?? '';
    const content = /^(?:enveloped|authenveloped)/.test(kind) ? undefined : signedContent(decodedBody(part));
    if (content === undefined) return kind === 'certs-only' ? this.#attach(part) : this.#encrypted('S/MIME');
    this.#count('signature');
    await this.#body(parseMime(content), true);
  }

  /** @throws Error for callers if the whole message is encrypted */
  #encrypted(how: string): void {
    if (this.#level.depth === 0)
      throw refusedError(
        `The file cannot be read: the message is encrypted (${how}); decrypt it in your mail program, and save it without encryption.`,
      );
    this.#count('encrypted_message');
  }

  async #tnef(part: MimePart): Promise<void> {
    this.#count('winmail_dat');
    this.#list(part);
  }

  async #attach(part: MimePart): Promise<void> {
    if (part.body.length === 0 && part.name === undefined) return;
    this.#count('attachment');
    this.#list(part);
  }

  #list(part: MimePart): void {
    const name = headerText(part.name ?? '', this.#decode);
    this.#attachments.push({ name, type: part.type, size: sizeOf(part) });
  }

  #add(block: string): void {
    if (block.trim() !== '') this.#blocks.push(block);
  }

  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: bytes above 7 bits are what it looks for.
const NOT_ASCII = /[^\u0000-\u007f]/;
const SHOWN = new Set(['subject', 'from', 'to', 'cc', 'bcc']);

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** The charset that the first text of a message declares. */
function charsetIn({ type, parameters, parts }: MimePart): string | undefined {
  if (parts.length === 0) return type.startsWith('text/') ? parameters.get('charset') : undefined;
  for (const part of parts) {
    const charset = charsetIn(part);
    if (charset !== undefined) return charset;
  }
  return undefined;
}

function joined(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** How good a representation is: HTML, other text, or 0 if it is not one of the text. */
function rankOf({ type, parts, disposition }: MimePart): number {
  if (disposition === 'attachment') return 0;
  if (HTML.test(type)) return 3;
  if (type === 'text/plain') return 2;
  if (type === 'text/calendar' || NOT_SHOWN.test(type)) return 0;
  if (type.startsWith('text/')) return 1;
  return type.startsWith('multipart/') ? parts.reduce((most, part) => Math.max(most, rankOf(part)), 0) : 0;
}

/** Files within a representation that is not read. */
function filesIn({ parts }: MimePart): MimePart[] {
  return parts.flatMap((part) => {
    if (part.parts.length > 0) return filesIn(part);
    const isFile =
      part.disposition === 'attachment' || (part.name !== undefined && !part.type.startsWith('text/'));
    return isFile && idOf(part) === '' ? [part] : [];
  });
}

/** Whether a part is the first piece of a message that was sent in pieces (RFC 2046, 5.2.2): it begins with the fields. */
const isFirstPiece = ({ type, parameters }: MimePart): boolean =>
  type === 'message/partial' && parameters.get('number')?.trim() === '1';

function idOf(part: MimePart): string {
  return (fieldNamed(part, 'content-id') ?? '').replace(/^<|>$/g, '');
}

function isLocated(part: MimePart): boolean {
  return fieldNamed(part, 'content-location') !== undefined;
}

const BASE64_DIGIT = /[A-Za-z\d+/]+/g;

/** The bytes of a part without its transfer encoding. What is in base64 is not decoded. */
function sizeOf(part: MimePart): number {
  if (!/base64/i.test(fieldNamed(part, 'content-transfer-encoding') ?? '')) return decodedBody(part).length;
  let digits = 0;
  for (const [run] of latin1(part.body).matchAll(BASE64_DIGIT)) digits += run.length;
  return Math.floor((digits * 3) / 4);
}
