import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createRandom, pick } from '../support/random.ts';
import type { Client } from '../support/server.ts';
import { LINES } from '../support/streams.ts';
import { proseOf } from './texts.ts';

const MIN_UNITS = 1000;
const MAX_UNITS = 100_000;
const DIFFERENT = 64;
const OPTIONS = { chunk_size: 1000, include: [] };

/** A document as it is sent and answered, without its id and its place in the stream. */
export interface Sample {
  /** What follows the id in its line. */
  readonly rest: Buffer;
  /** Its chunks, as a request with this text alone is answered. */
  readonly chunks: Buffer;
}

/** Documents of about 2 KB to 200 KB, and the only right answers to them. */
export async function makeSamples(client: Client, seed: number): Promise<Sample[]> {
  const random = createRandom(seed);
  const samples: Sample[] = [];
  for (let index = 0; index < DIFFERENT; index++) {
    const units = MIN_UNITS + Math.floor(random() * (MAX_UNITS - MIN_UNITS));
    const text = proseOf(units, seed + index);
    const { status, bytes } = await client.post('/v1/chunk/token', { text, ...OPTIONS });
    if (status !== 200) throw new Error(`no chunks: ${bytes}`);
    samples.push({ rest: Buffer.from(`,"text":${JSON.stringify(text)}}\n`), chunks: bytes });
  }
  return samples;
}

/** A stream that is sent while its answer is read and compared with what it has to be. */
export type CheckedStream = ReturnType<typeof openCheckedStream>;

/** Sends so many bytes of documents, each taken at random, as fast as the server takes them. */
export function openCheckedStream(url: string, samples: readonly Sample[], bytes: number, seed: number) {
  const post = request(`${url}/v1/chunk/token`, { method: 'POST', headers: { 'content-type': LINES } });
  let goOn = () => {};
  post.on('error', () => {});
  for (const event of ['drain', 'close']) post.on(event, () => goOn());
  const random = createRandom(seed);
  /** Those that are sent and not answered. */
  const waiting: Sample[] = [];
  const answer = once(post, 'response').then(([head]) => head as IncomingMessage);
  /** Bytes of the lines that were sent and of the answer, documents that were answered, and whether each byte was right. */
  const stream = { sent: 0, read: 0, answered: 0, isRight: true };
  const send = async () => {
    post.write(`${JSON.stringify(OPTIONS)}\n`);
    for (let index = 0; stream.sent < bytes && !post.destroyed; index++) {
      const sample = pick(random, samples);
      waiting.push(sample);
      const head = Buffer.from(`{"id":"d${index}"`);
      stream.sent += head.length + sample.rest.length;
      post.write(head);
      if (post.write(sample.rest)) continue;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    post.end();
  };
  const read = async () => {
    const response = await answer;
    const compare = createComparison(waiting, stream);
    response.on('data', (part: Buffer) => {
      stream.read += part.length;
      compare(part);
    });
    await once(response, 'end');
    if (waiting.length > 0) stream.isRight = false;
  };
  const ended = read();
  ended.catch(() => {});
  send().catch(() => {});
  return Object.assign(stream, {
    /** Resolves with the answer once its head is there; it is read as fast as it comes unless it is paused. */
    answer,
    /** Resolves at the end of the answer. */
    ended,
    destroy: () => void post.destroy(),
  });
}

/** Compares an answer, piece by piece, with what the documents that wait for it have to be answered. */
function createComparison(waiting: Sample[], stream: { answered: number; isRight: boolean }) {
  let line: Buffer = Buffer.alloc(0);
  let at = 0;
  return (part: Buffer) => {
    for (let from = 0; from < part.length && stream.isRight; ) {
      if (at === line.length) [line, at] = [nextLine(waiting, stream.answered), 0];
      const length = Math.min(part.length - from, line.length - at);
      const isSame = part.subarray(from, from + length).equals(line.subarray(at, at + length));
      if (length === 0 || !isSame) stream.isRight = false;
      from += length;
      at += length;
      if (at === line.length) stream.answered++;
    }
  };
}

/** The line that answers the next document; empty if none was sent. */
function nextLine(waiting: Sample[], index: number): Buffer {
  const sample = waiting.shift();
  if (sample === undefined) return Buffer.alloc(0);
  const head = Buffer.from(`{"index":${index},"id":"d${index}","chunks":`);
  return Buffer.concat([head, sample.chunks, Buffer.from('}\n')]);
}
