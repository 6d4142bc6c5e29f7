import { encodingOfCodePage } from '../../../toolkit/encodings/index.ts';
import { decodedAs } from '../../../toolkit/mime/index.ts';
import type { Storage } from './compound.ts';

/** Ids of properties, from MS-OXPROPS. */
export const ID = {
  messageClass: 0x001a,
  subject: 0x0037,
  submitted: 0x0039,
  sentFor: 0x0042,
  sentForAddress: 0x0065,
  headers: 0x007d,
  recipientType: 0x0c15,
  sender: 0x0c1a,
  senderAddress: 0x0c1f,
  displayTo: 0x0e04,
  displayCc: 0x0e03,
  delivered: 0x0e06,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  messageId: 0x1035,
  inReplyTo: 0x1042,
  displayName: 0x3001,
  address: 0x3003,
  data: 0x3701,
  shortName: 0x3704,
  method: 0x3705,
  longName: 0x3707,
  mediaType: 0x370e,
  contentId: 0x3712,
  smtpAddress: 0x39fe,
  internetCodePage: 0x3fde,
  codePage: 0x3ffd,
  senderSmtp: 0x5d01,
  sentForSmtp: 0x5d02,
  isHidden: 0x7ffe,
} as const;

/** Types of properties, from MS-OXCDATA 2.11.1. */
const TYPE = { integer: '0003', ansi: '001E', unicode: '001F', time: '0040', binary: '0102' };
const PROPERTIES = '__properties_version1.0';
const PROPERTY_BYTES = 16;
const VALUE = 8;
/** 100 ns from 1601 to 1970. */
const EPOCH = 116_444_736_000_000_000n;
const PER_MILLISECOND = 10_000n;

/** Properties of a message, a recipient or an attachment (MS-OXMSG 2.1). */
export class Properties {
  readonly #storage: Storage;
  readonly #fixed = new Map<number, Buffer>();
  readonly #encoding: string;

  /** @param head bytes before the first property in the stream of properties */
  constructor(storage: Storage, head: number, encoding?: string) {
    this.#storage = storage;
    const bytes = Buffer.from(storage.streams.get(PROPERTIES)?.read() ?? []);
    for (let at = head; at + PROPERTY_BYTES <= bytes.length; at += PROPERTY_BYTES)
      this.#fixed.set(bytes.readUInt16LE(at + 2), bytes.subarray(at + VALUE, at + PROPERTY_BYTES));
    this.#encoding = encoding ?? encodingOfCodePage(this.integer(ID.codePage) ?? -1) ?? 'windows-1252';
  }

  get encoding(): string {
    return this.#encoding;
  }

  integer(id: number): number | undefined {
    return this.#fixed.get(id)?.readInt32LE(0);
  }

  /** A time in ISO 8601. */
  time(id: number): string {
    const value = this.#fixed.get(id)?.readBigUInt64LE(0) ?? 0n;
    const date = new Date(Number((value - EPOCH) / PER_MILLISECOND));
    return value === 0n || Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/\.\d+Z/, 'Z');
  }

  text(id: number): string {
    return this.longText(id).replace(CONTROLS, ' ').trim();
  }

  /** Text with its line breaks. */
  longText(id: number): string {
    const wide = this.#stream(id, TYPE.unicode);
    if (wide !== undefined) return (decodedAs(wide, 'utf-16le') ?? '').toWellFormed().replace(NULS, '');
    const bytes = this.#stream(id, TYPE.ansi);
    if (bytes === undefined) return '';
    const text =
      decodedAs(bytes, this.#encoding) ?? decodedAs(bytes, 'utf-8') ?? decodedAs(bytes, 'windows-1252');
    return (text ?? '').replace(NULS, '');
  }

  /** Bytes, also of a text that is not in Unicode. */
  bytes(id: number): Uint8Array | undefined {
    return this.#stream(id, TYPE.binary) ?? this.#stream(id, TYPE.ansi);
  }

  isUnicode(id: number): boolean {
    return this.#storage.streams.has(nameOf(id, TYPE.unicode));
  }

  size(id: number): number {
    return this.#storage.streams.get(nameOf(id, TYPE.binary))?.size ?? 0;
  }

  /** A message within an attachment. */
  object(id: number): Storage | undefined {
    return this.#storage.storages.get(nameOf(id, '000D'));
  }

  #stream(id: number, type: string): Uint8Array | undefined {
    return this.#storage.streams.get(nameOf(id, type))?.read();
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const CONTROLS = /[\u0000-\u001f\u007f]+/g;
const NULS = /\0/g;

function nameOf(id: number, type: string): string {
  return `__substg1.0_${id.toString(16).toUpperCase().padStart(4, '0')}${type}`;
}
