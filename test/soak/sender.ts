import { Agent, request } from 'node:http';
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

/** Sends cases to one server over connections that are kept. */
export interface Sender {
  send(one: Case): Promise<Outcome>;
  close(): void;
}

export function createSender(port: number): Sender {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY });
  return { send, close: () => agent.destroy() };

  function send({ path, body, expected }: Case): Promise<Outcome> {
    const start = performance.now();
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    return new Promise((resolve) => {
      const finish = (status: number, isRight: boolean, isHonest: boolean) =>
        resolve({ status, isRight, isHonest, ms: performance.now() - start });
      const broken = (error: Error) => {
        const { code = error.message } = error as { code?: string };
        resolve({ status: 0, isRight: false, isHonest: false, ms: performance.now() - start, error: code });
      };
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (answer) => {
        const { statusCode = 0 } = answer;
        let at = 0;
        let isSame = statusCode === 200;
        answer.on('data', (part: Buffer) => {
          isSame &&= part.equals(expected.subarray(at, at + part.length));
          at += part.length;
        });
        answer.once('error', broken);
        answer.once('end', () => {
          const isHonest = statusCode === 503 && Number(answer.headers['retry-after']) >= 1;
          finish(statusCode, isSame && at === expected.length, isHonest);
        });
      });
      sent.once('error', broken);
      sent.end(body);
    });
  }
}
