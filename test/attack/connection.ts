import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Cleanup } from '../support/server.ts';

/** An HTTP answer as it came over a plain connection. */
export interface RawAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A plain connection to a server. */
export interface Connection {
  readonly socket: Socket;
  /** The whole answers that came until now. */
  readonly answers: () => readonly RawAnswer[];
  /** Waits until the connection is over, however it ended, and gives the milliseconds since it was opened. */
  over(): Promise<number>;
}

/** Opens a connection, which is ended after the test; an error of it is only its end. */
export async function openConnection(t: Cleanup, port: number): Promise<Connection> {
  const opened = performance.now();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  const closed = new Promise<number>((resolve) => {
    socket.once('close', () => resolve(performance.now() - opened));
  });
  await once(socket, 'connect');
  return { socket, answers: () => parseAnswers(Buffer.concat(parts)), over: () => closed };
}

/** The bytes of a request with a JSON body. */
export function postBytes(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const bytes = Buffer.from(JSON.stringify(body));
  return Buffer.concat([head(path, { 'content-length': String(bytes.length), ...headers }), bytes]);
}

/** The first lines of a POST with JSON, up to the empty one. */
export function head(path: string, headers: Readonly<Record<string, string>>): Buffer {
  const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
}

function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', start);
    if (headEnd < 0) break;
    const [line = '', ...fields] = bytes.toString('latin1', start, headEnd).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const end = headEnd + 4 + Number(headers['content-length'] ?? 0);
    if (end > bytes.length) break;
    answers.push({
      status: Number(line.split(' ')[1]),
      headers,
      body: bytes.toString('utf8', headEnd + 4, end),
    });
    start = end;
  }
  return answers;
}
