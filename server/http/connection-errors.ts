import type { Socket } from 'node:net';

/** Answers to requests that cannot be read, by the code of Node's error. */
const ANSWERS: Readonly<Record<string, readonly [status: string, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers are too large: send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request was not sent in time: send it faster.'],
};
const NOT_HTTP = ['400 Bad Request', 'The request is not valid HTTP/1.1.'] as const;

/** Connections of requests that may take as long as they like to be sent, because they are answered meanwhile. */
const unhurried = new WeakSet<Socket>();

/** Leaves the sender of a request as much time as it likes, until the returned function is called. */
export function allowSlowSending(socket: Socket): () => void {
  unhurried.add(socket);
  return () => unhurried.delete(socket);
}

/** Answers a request that is not HTTP, has too large headers or is too slow, and ends its connection. */
export function refuseConnection({ code = '' }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && unhurried.has(socket)) return;
  const [status, detail] = ANSWERS[code] ?? NOT_HTTP;
  const body = JSON.stringify({ detail });
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}
