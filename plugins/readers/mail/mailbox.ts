/** The line before a message of a mailbox: `From ada@example.org Fri Nov 28 10:00:00 2026`. */
const FROM_LINE = /^From \S.*(?::\d\d|\d{4})|^From (?:-|MAILER-DAEMON)\s*$/;
/** The line with a whole date, which is enough for a message without fields. */
const DATED_LINE =
  /^From \S.*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .{0,20}\b\d{1,2}:\d\d(?::\d\d)?\b.{0,20}\b\d{4}\b/;
const FIELD = /^(?:[!-9;-~]+:|>From )/;
const LINE_FEED = 0x0a;
const MAX_LINE = 1000;

/** The messages of a mailbox in their order, as views of its bytes without the lines before them. */
export function* messagesOf(mailbox: Uint8Array): Generator<Uint8Array> {
  const bytes = Buffer.from(mailbox.buffer, mailbox.byteOffset, mailbox.length);
  let start: number | undefined;
  for (let at = bytes.indexOf('From '); at !== -1; at = nextFrom(bytes, at)) {
    if (!isStart(bytes, at)) continue;
    if (start !== undefined) yield bytes.subarray(start, at);
    start = lineEnd(bytes, at);
  }
  if (start !== undefined) yield bytes.subarray(start);
}

/** Whether a file begins like a mailbox. */
export function isMailbox(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, MAX_LINE)).toString('latin1');
  return FROM_LINE.test(start.split('\n', 1)[0] ?? '');
}

function nextFrom(bytes: Buffer, at: number): number {
  const found = bytes.indexOf('\nFrom ', at);
  return found === -1 ? -1 : found + 1;
}

/** Whether a message begins: after a blank line, with the line of a mailbox and then a field or a blank line. */
function isStart(bytes: Buffer, at: number): boolean {
  const before = bytes.toString('latin1', Math.max(at - 4, 0), at);
  if (at > 0 && !/\n\r?\n$/.test(before)) return false;
  const end = lineEnd(bytes, at);
  const line = bytes.toString('latin1', at, Math.min(end, at + MAX_LINE)).trimEnd();
  const next = bytes.toString('latin1', end, Math.min(lineEnd(bytes, end), end + MAX_LINE));
  return FROM_LINE.test(line) && (FIELD.test(next) || (DATED_LINE.test(line) && next.trim() === ''));
}

function lineEnd(bytes: Buffer, at: number): number {
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed === -1 ? bytes.length : feed + 1;
}

const ESCAPED = Buffer.from('\n>');

/** A message without the `>` that a mailbox puts before lines of its text that begin with `From `. */
export function withoutEscapes(message: Uint8Array): Uint8Array {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.length);
  const kept: Buffer[] = [];
  let done = 0;
  for (let at = bytes.indexOf(ESCAPED); at !== -1; at = bytes.indexOf(ESCAPED, at + 1)) {
    let end = at + 1;
    while (bytes[end] === 0x3e) end++;
    if (bytes.toString('latin1', end, end + 5) !== 'From ') continue;
    kept.push(bytes.subarray(done, at + 1));
    done = at + 2;
  }
  return kept.length === 0 ? message : Buffer.concat([...kept, bytes.subarray(done)]);
}
