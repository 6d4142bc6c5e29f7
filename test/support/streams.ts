import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { WHOLE_TEXT } from './plugins.ts';

/** A line of the answer to a stream. */
export interface AnswerLine {
  readonly index: number;
  readonly id?: string;
  readonly chunks?: readonly Readonly<Record<string, unknown>>[];
  readonly error?: { readonly status: number; readonly detail: string };
}

/** A stream that is sent and read at the same time. */
export type SentStream = ReturnType<typeof openStream>;

export const LINES = 'application/x-ndjson';

export function openStream(url: string, headers: Record<string, string> = {}) {
  const sent = request(url, { method: 'POST', headers: { 'content-type': LINES, ...headers } });
  const response = once(sent, 'response').then(([answer]) => answer as IncomingMessage);
  response.catch(() => {});
  let lines: AsyncIterator<string> | undefined;
  return {
    request: sent,
    /** Resolves with the answer's head. */
    response,
    /** Sends a line of JSON, and waits until the connection takes more. */
    async send(line: unknown) {
      const text = typeof line === 'string' ? line : JSON.stringify(line);
      if (!sent.write(`${text}\n`)) await once(sent, 'drain');
    },
    end: () => sent.end(),
    /** The next line of the answer; undefined at its end. */
    async next(): Promise<AnswerLine | undefined> {
      lines ??= createInterface({ input: await response })[Symbol.asyncIterator]();
      const { done, value } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
  };
}

/** The lines of an answer that has come in whole. */
export function linesIn<T = AnswerLine>(bytes: Uint8Array): T[] {
  const lines = Buffer.from(bytes).toString().split('\n');
  if (lines.pop() !== '') throw new Error('the last line is not complete');
  return lines.map((line) => JSON.parse(line) as T);
}

/** The body of a chunker that waits so long as its text says, or fails. */
export const WAITS_OR_FAILS = `
  const [, ms] = text.match(/^wait (\\d+)/) ?? [];
  if (ms) await new Promise((done) => setTimeout(done, Number(ms)));
  if (text === 'throw') throw new Error('a secret');
  if (text === 'die') process.exit(1);
  ${WHOLE_TEXT}`;
