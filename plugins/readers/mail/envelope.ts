import { markdownHeading } from '../../toolkit/markdown/index.ts';
import { type DecodeBytes, dateOf, fieldNamed, headerText, type MimePart } from '../../toolkit/mime/index.ts';
import { addressesOf } from './addresses.ts';

/** Who wrote a message to whom, when and about what. */
export interface Envelope {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly date: string;
  readonly messageId: string;
  readonly inReplyTo: string;
}

export interface Attachment {
  readonly name: string;
  /** Media type; empty if unknown. */
  readonly type: string;
  readonly size: number;
}

export function envelopeOf(part: MimePart, decode: DecodeBytes): Envelope {
  const text = (name: string) => headerText(fieldNamed(part, name) ?? '', decode);
  const addresses = (name: string) =>
    part.fields.filter((field) => field.name === name).flatMap(({ value }) => addressesOf(value, decode));
  return {
    subject: text('subject'),
    from: addresses('from'),
    to: addresses('to'),
    cc: addresses('cc'),
    bcc: addresses('bcc'),
    date: dateOf(text('date')),
    messageId: text('message-id'),
    inReplyTo: text('in-reply-to'),
  };
}

/** The subject as a heading, and for a message within a file its other facts, which metadata does not have. */
export function headingBlocks(envelope: Envelope, level: number, isWithin: boolean): string[] {
  const { subject, from, to, cc, date } = envelope;
  const facts = [
    ['From', from.join(', ')],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Date', date],
  ].filter(([, value]) => value !== '');
  const heading = subject === '' ? [] : [markdownHeading(level, subject)];
  if (!isWithin || facts.length === 0) return heading;
  return [...heading, facts.map((fact) => fact.join(': ')).join('\n')];
}

/** Attachments as a list; empty if there are none. */
export function attachmentBlocks(attachments: readonly Attachment[]): string[] {
  if (attachments.length === 0) return [];
  const lines = attachments.map(({ name, type, size }) => {
    const facts = [type, `${size} bytes`].filter((fact) => fact !== '').join(', ');
    return `- ${name === '' ? 'without a name' : name} (${facts})`;
  });
  return [`Attachments:\n\n${lines.join('\n')}`];
}

/** Maximum characters of a value of metadata, and of all lists together as JSON: each chunk gets a copy. */
const MAX_VALUE = 1000;
const MAX_LISTS = 8000;

/**
 * The metadata of a message.
 *
 * @param count receives how many addresses are left out because there are too many
 */
export function metadataOf(
  envelope: Envelope,
  attachments: readonly Attachment[],
  count: (kind: string, more: number) => void,
): Record<string, unknown> {
  const { from, to, cc, bcc, date, messageId, inReplyTo } = envelope;
  let left = MAX_LISTS;
  const listed = <Item>(items: readonly Item[], kind?: string): Item[] => {
    let fitting = 0;
    for (const item of items) {
      left -= JSON.stringify(item).length + 1;
      if (left < 0) break;
      fitting++;
    }
    if (kind !== undefined && fitting < items.length) count(kind, items.length - fitting);
    return items.slice(0, fitting);
  };
  const members: Record<string, unknown> = {
    from: from.join(', ').slice(0, MAX_VALUE).toWellFormed(),
    to: listed(to, 'recipient'),
    cc: listed(cc, 'recipient'),
    bcc: listed(bcc, 'recipient'),
    date: date.slice(0, MAX_VALUE),
    message_id: messageId.slice(0, MAX_VALUE),
    in_reply_to: inReplyTo.slice(0, MAX_VALUE),
    attachments: listed(
      attachments.map(({ name, type, size }) => ({
        ...(name !== '' && { name }),
        ...(type !== '' && { media_type: type }),
        size,
      })),
    ),
  };
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => (value as string | readonly unknown[]).length > 0),
  );
}
