import { refusedError } from '../../../../core/kit.ts';
import { encodingOfCodePage } from '../../../toolkit/encodings/index.ts';
import { parseMime } from '../../../toolkit/mime/index.ts';
import { type Bodies, isRefusal } from '../bodies.ts';
import { type Attachment, attachmentBlocks, type Envelope, envelopeOf, headingBlocks } from '../envelope.ts';
import { type Counts, type Level, type ReadMessage, readPart } from '../message.ts';
import { plainMarkdown } from '../plain.ts';
import { openCompound, type Storage } from './compound.ts';
import { ID, Properties } from './properties.ts';
import { decompressRtf, isFromHtml } from './rtf.ts';

/** Bytes before the properties of a message, of one within another, and of recipients and attachments. */
const HEAD = { message: 32, inner: 24, other: 8 };
const MAX_MESSAGES = 20;
const RECIPIENTS = ['to', 'cc', 'bcc'] as const;
const EMBEDDED = 5;
const ENCRYPTED = /^IPM\.Note\.(?:SMIME$|rpmsg|Secure)/i;
const SMIME = /^application\/(?:x-)?pkcs7-mime$/;
const PGP = 'application/pgp-encrypted';
const TNEF = /^application\/(?:vnd\.)?ms-tnef$/;

/**
 * Reads a message that Outlook saved (MS-OXMSG).
 *
 * @throws Error for callers if it is not such a message, or is encrypted or damaged
 */
export async function readOutlookMessage(
  bytes: Uint8Array,
  bodies: Bodies,
  counts: Counts,
): Promise<ReadMessage> {
  const root = openCompound(bytes);
  if (!root.streams.has('__properties_version1.0'))
    throw refusedError(
      'The file cannot be read: it is not a message of Outlook, but perhaps an older Office document; save it as .docx, .xlsx, .pptx or PDF.',
    );
  return new OutlookReader(bodies, counts, { level: 1, depth: 0 }).read(root, HEAD.message);
}

interface BodyKind {
  readonly isEncrypted: boolean;
  readonly hasBody: boolean;
}

class OutlookReader {
  readonly #bodies: Bodies;
  readonly #counts: Counts;
  readonly #level: Level;
  readonly #attachments: Attachment[] = [];

  constructor(bodies: Bodies, counts: Counts, level: Level) {
    this.#bodies = bodies;
    this.#counts = counts;
    this.#level = level;
  }

  async read(storage: Storage, head: number): Promise<ReadMessage> {
    const properties = new Properties(storage, head);
    const envelope = outlookEnvelope(storage, properties);
    const attachments = storagesNamed(storage, '__attach_version1.0_').map(
      (one) => new Properties(one, HEAD.other, properties.encoding),
    );
    const isEncrypted =
      ENCRYPTED.test(properties.text(ID.messageClass)) ||
      attachments.some((one) => one.text(ID.mediaType).toLowerCase() === PGP);
    const heading = headingBlocks(envelope, this.#level.level, this.#level.depth > 0);
    const body = isEncrypted ? '' : await this.#body(properties);
    const inner: string[] = [];
    for (const attachment of attachments)
      inner.push(await this.#attachment(attachment, { isEncrypted, hasBody: body.trim() !== '' }));
    if (isEncrypted && inner.every((text) => text === '')) this.#encrypted();
    const blocks = [...heading, body, ...inner, ...attachmentBlocks(this.#attachments)];
    return {
      envelope,
      attachments: this.#attachments,
      text: blocks.filter((block) => block.trim() !== '').join('\n\n'),
    };
  }

  /** The body as Markdown: from HTML, from RTF around HTML, or from text. */
  async #body(properties: Properties): Promise<string> {
    const charset = encodingOfCodePage(properties.integer(ID.internetCodePage) ?? -1);
    const plain = properties.longText(ID.body);
    const html = properties.isUnicode(ID.html)
      ? Buffer.from(properties.longText(ID.html))
      : properties.bytes(ID.html);
    const label = properties.isUnicode(ID.html) ? 'utf-8' : charset;
    const read = html === undefined ? '' : await this.#unlessPlain(this.#bodies.html(html, label), plain);
    if (read.trim() !== '') return read;
    const compressed = properties.bytes(ID.rtf);
    if (compressed === undefined) return plainMarkdown(plain);
    const rtf = decompressRtf(compressed);
    if (plain.trim() !== '' && !isFromHtml(rtf)) return plainMarkdown(plain);
    const text = await this.#unlessPlain(this.#bodies.rtf(rtf), plain);
    return text.trim() === '' ? plainMarkdown(plain) : text;
  }

  /** The text of a body; empty if the body cannot be read and there is a plain text. */
  async #unlessPlain(text: Promise<string>, plain: string): Promise<string> {
    try {
      return await text;
    } catch (error) {
      if (plain.trim() === '' || !isRefusal(error)) throw error;
      return '';
    }
  }

  /** Lists an attachment. Returns the text of a message in it. */
  async #attachment(properties: Properties, { isEncrypted, hasBody }: BodyKind): Promise<string> {
    const name =
      [ID.longName, ID.shortName, ID.displayName].map((id) => properties.text(id)).find(Boolean) ?? '';
    const type = properties.text(ID.mediaType).toLowerCase();
    const inner = properties.object(ID.data);
    if (inner !== undefined && properties.integer(ID.method) === EMBEDDED) return this.#message(inner);
    if (type === 'multipart/signed') return this.#signed(properties, hasBody);
    if (isEncrypted && (SMIME.test(type) || /\.p7m$/i.test(name))) {
      const signed = await this.#opaque(properties);
      if (signed !== undefined) return signed;
    }
    const isInline =
      (properties.integer(ID.isHidden) ?? 0) !== 0 ||
      (type.startsWith('image/') && properties.text(ID.contentId) !== '');
    if (isInline) return this.#count('inline_file');
    this.#count(TNEF.test(type) || name.toLowerCase() === 'winmail.dat' ? 'winmail_dat' : 'attachment');
    this.#attachments.push({ name, type, size: properties.size(ID.data) });
    return '';
  }

  async #message(storage: Storage): Promise<string> {
    const { level, depth } = this.#level;
    if (depth >= MAX_MESSAGES) return this.#count('nested_message');
    const reader = new OutlookReader(this.#bodies, this.#counts, { level: level + 1, depth: depth + 1 });
    return (await reader.read(storage, HEAD.inner)).text;
  }

  /** Reads a signed message, which Outlook keeps as it was received, sometimes beside the body. */
  async #signed(properties: Properties, hasBody: boolean): Promise<string> {
    const part = parseMime(properties.bytes(ID.data) ?? new Uint8Array());
    const read = await readPart(part, this.#bodies, this.#counts, this.#level);
    this.#attachments.push(...read.attachments);
    return hasBody ? '' : read.text;
  }

  /** The content of a message that is signed but not encrypted. */
  async #opaque(properties: Properties): Promise<string | undefined> {
    const body = properties.bytes(ID.data);
    if (body === undefined) return undefined;
    const head = 'Content-Type: application/pkcs7-mime; name="smime.p7m"\n\n';
    const part = parseMime(Buffer.concat([Buffer.from(head), body]));
    return (await readPart(part, this.#bodies, this.#counts, this.#level)).text;
  }

  /** @throws Error for callers if the whole message is encrypted */
  #encrypted(): void {
    if (this.#level.depth === 0)
      throw refusedError(
        'The file cannot be read: the message is encrypted; decrypt it in Outlook, and save it without encryption.',
      );
    this.#count('encrypted_message');
  }

  #count(kind: string): string {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    return '';
  }
}

function storagesNamed({ storages }: Storage, prefix: string): Storage[] {
  const names = [...storages.keys()].filter((name) => name.startsWith(prefix)).sort();
  return names.map((name) => storages.get(name) as Storage);
}

function outlookEnvelope(storage: Storage, properties: Properties): Envelope {
  const recipients: Record<(typeof RECIPIENTS)[number], string[]> = { to: [], cc: [], bcc: [] };
  for (const one of storagesNamed(storage, '__recip_version1.0_')) {
    const recipient = new Properties(one, HEAD.other, properties.encoding);
    const kind = RECIPIENTS[((recipient.integer(ID.recipientType) ?? 1) & 0xf) - 1];
    const address = addressed(recipient, ID.displayName, [ID.smtpAddress, ID.address]);
    if (kind !== undefined && address !== '') recipients[kind].push(address);
  }
  const headers = headersOf(properties.longText(ID.headers));
  const displayed = (id: number) => properties.text(id).split(/;\s*/).filter(Boolean);
  const sentFor = addressed(properties, ID.sentFor, [ID.sentForSmtp, ID.sentForAddress]);
  const sender = addressed(properties, ID.sender, [ID.senderSmtp, ID.senderAddress]);
  const from = sentFor === '' ? sender : sentFor;
  return {
    subject: properties.text(ID.subject) || headers.subject,
    from: from === '' ? headers.from : [from],
    to: recipients.to.length > 0 ? recipients.to : displayed(ID.displayTo),
    cc: recipients.cc.length > 0 ? recipients.cc : displayed(ID.displayCc),
    bcc: recipients.bcc,
    date: properties.time(ID.submitted) || headers.date || properties.time(ID.delivered),
    messageId: properties.text(ID.messageId) || headers.messageId,
    inReplyTo: properties.text(ID.inReplyTo) || headers.inReplyTo,
  };
}

/** The fields that the message had when it was received. Outlook keeps them in one text. */
function headersOf(text: string): Envelope {
  const bytes = Buffer.from(text.replace(/^Microsoft Mail Internet Headers.*\r?\n/, ''));
  return envelopeOf(parseMime(bytes), (given) => Buffer.from(given).toString());
}

/** `Ada <ada@example.org>`. Addresses of Exchange, such as `/O=ORG/CN=ADA`, are left out. */
function addressed(properties: Properties, nameId: number, addressIds: readonly number[]): string {
  const name = properties.text(nameId);
  const address = addressIds.map((id) => properties.text(id)).find((one) => one.includes('@'));
  if (address === undefined || name.includes(address)) return name;
  return name === '' ? address : `${name} <${address}>`;
}
