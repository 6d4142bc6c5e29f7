import { once } from 'node:events';
import { connect } from 'node:net';
import type { Cleanup } from '../../support/server.ts';

/** An HTTP answer as it came over a plain connection. */
export interface RawAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A plain connection to a server. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Opens a connection, which is ended after the test; an error of it is only its end. */
export async function openConnection(t: Cleanup, port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.teardown(() => socket.destroy());
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return {
    socket,
    /** All that came until now, and the whole answers in it. */
    got: () => Buffer.concat(parts).toString('latin1'),
    answers: () => parseAnswers(Buffer.concat(parts)),
    /** Sends bytes; resolves once the connection has taken them. */
    send: (bytes: Uint8Array | string) =>
      new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    /** Waits until the connection is over, however it ended. */
    over: () => closed,
  };
}

/** The bytes of a request with a JSON body. */
export function postBytes(path: string, body: unknown, headers: Record<string, string> = {}): Buffer {
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
    const pairs = fields.map((field) => field.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    const end = headEnd + 4 + Number(headers['content-length'] ?? 0);
    if (end > bytes.length) break;
    const body = bytes.toString('utf8', headEnd + 4, end);
    answers.push({ status: Number(line.split(' ')[1]), headers, body });
    start = end;
  }
  return answers;
}
