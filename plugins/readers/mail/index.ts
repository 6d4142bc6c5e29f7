import {
  type Factory,
  type ReadContext,
  type ReadFile,
  refusedError,
  type SourceFile,
  type SourcePlace,
} from '../../../core/kit.ts';
import { encodingOfMark } from '../../toolkit/encoding-of-mark.ts';
import { decodedAs } from '../../toolkit/mime/index.ts';
import { Bodies, type BodyReaders } from './bodies.ts';
import { metadataOf } from './envelope.ts';
import { isMailbox, messagesOf, withoutEscapes } from './mailbox.ts';
import type manifest from './manifest.ts';
import { type Counts, type ReadMessage, readMessage, readWithin } from './message.ts';
import { isCompound } from './outlook/compound.ts';
import { readOutlookMessage } from './outlook/message.ts';

const createMailReader: Factory<typeof manifest> = ({
  'reader/html': html,
  'reader/rtf': rtf,
  'reader/text': text,
}) => {
  const readers: BodyReaders = { html, rtf, text };
  return {
    async read(file, context) {
      context.signal.throwIfAborted();
      return isMailboxFile(file) ? readMailbox(file, readers, context) : readMail(file, readers, context);
    },
  };
};

export default createMailReader;

function isMailboxFile({ bytes, name = '', mediaType }: SourceFile): boolean {
  const isNamed =
    /\.mbox$/i.test(name) || (mediaType === 'application/mbox' && !/\.(?:emlx?|msg)$/i.test(name));
  return isNamed && isMailbox(bytes);
}

async function readMail(file: SourceFile, readers: BodyReaders, context: ReadContext): Promise<ReadFile> {
  const counts: Counts = new Map();
  const bodies = new Bodies(readers, context);
  const message = isCompound(file.bytes)
    ? await readOutlookMessage(file.bytes, bodies, counts)
    : await readMessage(messageBytes(file), bodies, counts);
  return resultOf(message, counts);
}

function resultOf({ text, envelope, attachments }: ReadMessage, counts: Counts): ReadFile {
  const metadata = metadataOf(envelope, attachments, (kind, more) => add(counts, kind, more));
  const title = envelope.subject.slice(0, MAX_TITLE).toWellFormed();
  return {
    text,
    mediaType: 'text/markdown',
    ...(title !== '' && { title }),
    metadata,
    ...leftOutOf(counts),
  };
}

const MAX_TITLE = 1000;
/** Maximum UTF-16 units of the text. */
const MAX_TEXT = 64 * 1024 * 1024;

/** Reads the messages of a mailbox one after the other, each with its place. */
async function readMailbox(
  { bytes }: SourceFile,
  readers: BodyReaders,
  context: ReadContext,
): Promise<ReadFile> {
  const counts: Counts = new Map();
  const bodies = new Bodies(readers, context);
  const parts: string[] = [];
  const places: SourcePlace[] = [];
  let length = 0;
  let number = 0;
  for (const message of messagesOf(bytes)) {
    number++;
    const text = await readWithin(withoutEscapes(message), bodies, counts);
    const gap = length === 0 ? '' : '\n\n';
    const start = length + gap.length;
    length = start + text.length;
    if (length > MAX_TEXT)
      throw refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
    parts.push(gap, text);
    places.push({ start, end: length, message: number });
  }
  if (number === 0) throw refusedError('The file cannot be read: it is a mailbox without messages.');
  return {
    text: parts.join(''),
    mediaType: 'text/markdown',
    metadata: { messages: number },
    places,
    ...leftOutOf(counts),
  };
}

function add(counts: Counts, kind: string, more: number): void {
  if (more > 0) counts.set(kind, (counts.get(kind) ?? 0) + more);
}

function leftOutOf(counts: Counts): Pick<ReadFile, 'leftOut'> {
  return counts.size === 0 ? {} : { leftOut: Object.fromEntries(counts) };
}

const LINE_FEED = 0x0a;
/** Blanks before a message that are searched for its start. */
const MAX_BLANK = 64 * 1024;
const BLANK_START = /^(?:\u00ef\u00bb\u00bf)?\s*/;

/** The bytes of a message: those that the first line of an `.emlx` file counts, without blank lines before. */
function messageBytes({ bytes: given, name = '' }: SourceFile): Uint8Array {
  const bytes = asNarrow(given);
  const head = Buffer.from(bytes.subarray(0, MAX_BLANK)).toString('latin1');
  const [, count] = (/\.emlx$/i.test(name) && /^\s*(\d+)\s*\n/.exec(head)) || [];
  if (count === undefined) return bytes.subarray(BLANK_START.exec(head)?.[0].length ?? 0);
  const start = bytes.indexOf(LINE_FEED) + 1;
  return bytes.subarray(start, start + Number(count));
}

/** A message that an editor saved in UTF-16, in UTF-8. */
function asNarrow(bytes: Uint8Array): Uint8Array {
  const encoding = encodingOfMark(bytes) ?? (bytes[1] === 0 ? 'utf-16le' : bytes[0] === 0 ? 'utf-16be' : '');
  const text = encoding.startsWith('utf-16') ? decodedAs(bytes, encoding) : undefined;
  return text === undefined ? bytes : Buffer.from(text);
}
