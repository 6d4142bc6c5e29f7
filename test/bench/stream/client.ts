import { Agent, type IncomingMessage, request } from 'node:http';
import { argv } from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * A client in a process of its own: sends documents in one of three ways and prints, as JSON, the seconds that it took
 * and how many chunks came back. Its arguments: the way, the address of the route, the number of documents, their bytes.
 */

const [, , way = '', url = '', count = '', bytes = ''] = argv;
const CONNECTIONS = 16;
const BATCH = 100;
const PIECE_LENGTH = 65_536;

const words = Array.from({ length: 997 }, (_, index) => `word${(index * 7919) % 997}`);

function textOf(document: number): string {
  let text = '';
  for (let at = document; text.length < Number(bytes); at++) text += `${words[at % words.length]} `;
  return text.slice(0, Number(bytes));
}

const documents = Array.from({ length: Number(count) }, (_, index) => ({
  id: `d${index}`,
  text: textOf(index),
}));
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

async function read(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${body}`);
  return body;
}

function post(body: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      read(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Posts bodies with so many of them in flight at once. */
async function postAll(bodies: readonly string[], inFlight: number): Promise<number> {
  let next = 0;
  let chunks = 0;
  const work = async () => {
    for (let at = next++; at < bodies.length; at = next++) {
      const lists = JSON.parse((await post(bodies[at] as string)).toString()) as unknown[][];
      for (const list of lists) chunks += list.length;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return chunks;
}

function stream(): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      chunksIn(response).then(resolve, reject);
    });
    pipeline(Readable.from(pieces(), { objectMode: false }), sent).catch(reject);
  });
}

/** The stream, in pieces of many lines. */
function* pieces(): Generator<string> {
  let piece = '{}\n';
  for (const document of documents) {
    piece += `${JSON.stringify(document)}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Reads lines as they come. */
async function chunksIn(response: IncomingMessage): Promise<number> {
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}`);
  let chunks = 0;
  let begun = '';
  for await (const part of response.setEncoding('utf8')) {
    const lines = (begun + part).split('\n');
    begun = lines.pop() as string;
    for (const line of lines) chunks += (JSON.parse(line) as { chunks: unknown[] }).chunks.length;
  }
  return chunks;
}

function batches(size: number): string[] {
  const bodies: string[] = [];
  for (let at = 0; at < documents.length; at += size) {
    bodies.push(JSON.stringify({ documents: documents.slice(at, at + size) }));
  }
  return bodies;
}

const WAYS: Readonly<Record<string, () => Promise<number>>> = {
  stream,
  single: () => postAll(batches(1), CONNECTIONS),
  batch: () => postAll(batches(BATCH), CONNECTIONS),
};

const start = performance.now();
const chunks = await (WAYS[way] as () => Promise<number>)();
console.log(JSON.stringify({ seconds: (performance.now() - start) / 1000, chunks }));
agent.destroy();
