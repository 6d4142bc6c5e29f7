import type { IncomingHttpHeaders } from 'node:http';
import { parseExactJson } from '../../../plugins/toolkit/json/exact-json.ts';
import { type Asked, send, startHost } from '../../support/hosted-host.ts';

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

export type Api = Awaited<ReturnType<typeof startApi>>;

/**
 * An API on loopback.
 *
 * @param answer gives the JSON of an answer, or throws a `Refusal`; what else it throws is answered with 500
 */
export async function startApi(
  answer: (call: ApiCall) => object,
  headers: Readonly<Record<string, string>> = {},
) {
  const calls: ApiCall[] = [];
  let refused = { left: 0, status: 0, headers };
  let stop: () => unknown = () => {};
  const { url } = await startHost({ teardown: (end) => (stop = end) }, (asked, response) => {
    const call = callOf(asked);
    calls.push(call);
    if (refused.left-- <= 0) {
      const { status, body } = answerTo(call, answer);
      send(response, status, body, headers);
    } else if (refused.status > 0) {
      send(response, refused.status, {}, refused.headers);
    }
  });
  return {
    url,
    calls: calls as readonly ApiCall[],
    /** Answers the next calls so; with the status 0 not at all. */
    refuse(left: number, status: number, headers: Readonly<Record<string, string>> = {}) {
      refused = { left, status, headers };
    },
    stop: async () => void stop(),
  };
}

function callOf({ method, url, headers, bytes }: Asked): ApiCall {
  const { pathname, searchParams: query } = new URL(url, 'http://localhost');
  const text = bytes.toString();
  const isJson = headers['content-type'] === 'application/json';
  const body = isJson ? (parseExactJson(text) as ApiCall['body']) : {};
  return { method, path: decodeURIComponent(pathname), query, headers, text, body };
}

function answerTo(call: ApiCall, answer: (call: ApiCall) => object): { status: number; body: object } {
  try {
    return { status: 200, body: answer(call) };
  } catch (error) {
    if (error instanceof Refusal) return error;
    return { status: 500, body: { stack: error instanceof Error ? error.stack : String(error) } };
  }
}
