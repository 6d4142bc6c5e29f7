import { connect } from 'node:net';
import type { Case } from './cases.ts';

/** What became of a request. */
export interface Outcome {
  /** The status, or 0 where the connection broke. */
  readonly status: number;
  /** Whether the answer is the expected one, byte by byte. */
  readonly isRight: boolean;
  /** Whether it is a 503 that says when to try again. */
  readonly isHonest: boolean;
  readonly ms: number;
  /** Why the connection broke. */
  readonly error?: string;
}

export type Sender = ReturnType<typeof createSender>;

/**
 * Sends cases to one server over connections that are kept: as many as there are requests under way. It speaks just enough
 * HTTP for our server. Node's own client takes four times as much of the cores, which here it
 * shares with the server.
 */
export function createSender(port: number) {
  const free: Connection[] = [];
  const open = new Set<Connection>();

  function newConnection(): Connection {
    const connection = openConnection(port, () => {
      open.delete(connection);
      const at = free.indexOf(connection);
      if (at !== -1) free.splice(at, 1);
    });
    open.add(connection);
    return connection;
  }

  return {
    async send(one: Case): Promise<Outcome> {
      const start = performance.now();
      const connection = free.pop() ?? newConnection();
      try {
        const { status, isSame, retryAfter } = await connection.exchange(one);
        free.push(connection);
        const isHonest = status === 503 && retryAfter >= 1;
        return { status, isRight: status === 200 && isSame, isHonest, ms: performance.now() - start };
      } catch (error) {
        const { code = String(error) } = error as { code?: string };
        return { status: 0, isRight: false, isHonest: false, ms: performance.now() - start, error: code };
      }
    },
    close() {
      for (const { socket } of open) socket.destroy();
    },
  };
}

interface Received {
  readonly status: number;
  /** Whether the body is the expected one. */
  readonly isSame: boolean;
  /** Seconds of the header `retry-after`; NaN without it. */
  readonly retryAfter: number;
}

type Connection = ReturnType<typeof openConnection>;

function openConnection(port: number, closed: () => void) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let read: ReturnType<typeof createReader> | undefined;
  let settle: PromiseWithResolvers<Received> | undefined;
  let reason: Error = new Error('the connection was closed');
  const fail = (error: Error) => {
    reason = error;
    socket.destroy();
  };
  socket.on('data', (part) => {
    try {
      if (read === undefined) throw new Error('an answer that nobody asked for');
      const received = read(part);
      if (received === undefined) return;
      read = undefined;
      settle?.resolve(received);
    } catch (error) {
      fail(error as Error);
    }
  });
  socket.once('error', fail);
  socket.once('close', () => {
    closed();
    settle?.reject(reason);
  });
  return {
    socket,
    /** Sends a request and waits for its answer; one at a time. */
    exchange({ path, body, expected }: Case): Promise<Received> {
      settle = Promise.withResolvers();
      read = createReader(expected);
      socket.cork();
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
      socket.uncork();
      return settle.promise;
    },
  };
}

const END_OF_HEAD = '\r\n\r\n';

/** Takes the next bytes of an answer; gives what it is once it is whole. */
function createReader(expected: Buffer) {
  let head: Buffer | undefined;
  let length: number | undefined;
  let status = 0;
  let retryAfter = Number.NaN;
  let at = 0;
  let isSame = true;
  return (part: Buffer): Received | undefined => {
    let body = part;
    if (length === undefined) {
      head = head === undefined ? part : Buffer.concat([head, part]);
      const end = head.indexOf(END_OF_HEAD);
      if (end === -1) return undefined;
      const text = head.toString('latin1', 0, end + 2);
      status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);
      retryAfter = Number(/\r\nretry-after: (\d+)\r\n/i.exec(text)?.[1]);
      length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1]);
      if (!Number.isInteger(status) || !Number.isInteger(length)) throw new Error(`not understood: ${text}`);
      body = head.subarray(end + END_OF_HEAD.length);
    }
    isSame &&= body.equals(expected.subarray(at, at + body.length));
    at += body.length;
    if (at < length) return undefined;
    if (at > length) throw new Error('the answer is longer than its content-length');
    return { status, isSame: isSame && at === expected.length, retryAfter };
  };
}
