import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of an API that stands in for another. */
export interface ApiCall {
  readonly method: string;
  /** Without its query, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** What the text says, if it is sent as JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a stand-in answers instead of 200. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** An API on loopback. */
export interface Api {
  readonly url: string;
  readonly calls: readonly ApiCall[];
  /** Answers the next calls so; with the status 0 not at all. */
  refuse(calls: number, status: number, headers?: Readonly<Record<string, string>>): void;
  stop(): Promise<void>;
}

/** @param answer gives the JSON of an answer, or throws a `Refusal`; what else it throws is answered with 500 */
export async function startApi(answer: (call: ApiCall) => object): Promise<Api> {
  const calls: ApiCall[] = [];
  let refused = { left: 0, status: 503, headers: {} };
  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    if (refused.left > 0) {
      refused.left--;
      if (refused.status > 0) send(response, refused.status, {}, refused.headers);
      return;
    }
    answerCall(response, () => answer(call));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    refuse: (left, status, headers = {}) => {
      refused = { left, status, headers };
    },
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise((done) => server.close(done));
    },
  };
}

async function readCall(request: IncomingMessage): Promise<ApiCall> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
  const { headers, method = '' } = request;
  const body = headers['content-type'] === 'application/json' ? JSON.parse(text) : {};
  return { method, path: decodeURIComponent(pathname), query, headers, text, body };
}

function answerCall(response: ServerResponse, answer: () => object): void {
  try {
    send(response, 200, answer());
  } catch (error) {
    if (error instanceof Refusal) send(response, error.status, error.body);
    else send(response, 500, { stack: error instanceof Error ? error.stack : String(error) });
  }
}

function send(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The names of a body that are not among those which are known: a strict API takes no others. */
export const unknownNames = (body: object, known: readonly string[]): string[] =>
  Object.keys(body).filter((name) => !known.includes(name));
