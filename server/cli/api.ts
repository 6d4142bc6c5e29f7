import type { ClientRequest, IncomingMessage } from 'node:http';
import { reasonOf } from '../../core/errors.ts';
import { CommandError, UsageError } from './errors.ts';

const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** A running service that commands talk to. */
export interface Api {
  readonly url: string;
  /**
   * Sends a request and reads the JSON of its answer.
   *
   * @param body becomes JSON
   * @throws RefusedError with what the service answered
   * @throws CommandError if it cannot be reached
   */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<unknown>;
  /** Sends a request whose answer is read as it comes. @throws CommandError as `call` */
  open(method: string, path: string, headers?: Record<string, string>): Promise<IncomingMessage>;
  /** Begins a request whose body is written and whose answer is read at the same time. */
  stream(path: string, headers: Record<string, string>): ClientRequest;
}

/** @param url where the service is, perhaps below a path. @param key of a service that asks for one */
export function createApi(url: string, key: string | undefined): Api {
  const base = url.replace(/\/+$/, '');
  const client = base.startsWith('https:') ? https : http;
  const begin = (method: string, path: string, headers: Record<string, string>): ClientRequest => {
    if (!URL.canParse(base))
      throw new UsageError(`--server ${url}: expected a URL such as http://localhost:8000`);
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return client.request(`${base}${path}`, { method, headers: { ...authorization, ...headers } });
  };
  const answerTo = (request: ClientRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', (error) => reject(unreachable(base, error)));
    });
  const api: Api = {
    url: base,
    async call(method, path, body, headers = {}) {
      const json = body === undefined ? undefined : JSON.stringify(body);
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const request = begin(method, path, { ...type, ...headers });
      const answered = answerTo(request);
      request.end(json);
      const text = await textOf(await answered.then(checked));
      return text === '' ? undefined : parsed(base, text);
    },
    async open(method, path, headers = {}) {
      const request = begin(method, path, headers);
      const answered = answerTo(request);
      request.end();
      return answered.then(checked);
    },
    stream: (path, headers) => begin('POST', path, headers),
  };
  return api;
}

function unreachable(url: string, error: NodeJS.ErrnoException): CommandError {
  return new CommandError(
    `${url} cannot be reached (${error.code ?? error.message}): is the service running there?`,
  );
}

const UNAUTHORIZED = 401;
const NO_KEY = 'The service asks for a valid key: set the variable CHUNKSMITH_KEY.';

/** The service's answer to a request that it did not carry out. */
export class RefusedError extends CommandError {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** @throws RefusedError if the answer is an error */
export async function checked(answer: IncomingMessage): Promise<IncomingMessage> {
  if ((answer.statusCode as number) < 400) return answer;
  const text = await textOf(answer);
  const status = answer.statusCode as number;
  throw new RefusedError(status, status === UNAUTHORIZED ? NO_KEY : detailOf(text));
}

function parsed(url: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(
      `${url} is no Chunksmith service: what it answers is no JSON (${reasonOf(error)})`,
    );
  }
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === 'string' ? detail : text;
  } catch {
    return text;
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
