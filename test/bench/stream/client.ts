import { Agent, type IncomingMessage, request } from 'node:http';
import { argv } from 'node:process';

/**
 * A client in a process of its own: sends documents in one of three ways and prints, as JSON, the seconds that it took
 * and how many chunks came back. Its arguments: the way, the address of the route, the number of documents, their bytes.
 */

const [, , way = '', url = '', count = '', bytes = ''] = argv;
const CONNECTIONS = 16;
const BATCH = 100;

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
      read(response).then((body) => resolve(chunksIn(body)), reject);
    });
    sent.on('error', reject);
    sent.write('{}\n');
    let next = 0;
    const more = () => {
      while (next < documents.length) {
        if (!sent.write(`${JSON.stringify(documents[next++])}\n`)) return void sent.once('drain', more);
      }
      sent.end();
    };
    more();
  });
}

function chunksIn(body: Buffer): number {
  let chunks = 0;
  for (const line of body.toString().split('\n')) {
    if (line !== '') chunks += (JSON.parse(line) as { chunks: unknown[] }).chunks.length;
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
