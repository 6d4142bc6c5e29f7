import type { ClientRequest, IncomingMessage } from 'node:http';
import { reasonOf } from '../../core/errors.ts';
import { hold } from '../../core/hold.ts';
import { CommandError, UsageError } from './errors.ts';

const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

type HeaderFields = Readonly<Record<string, string>>;

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
  call(method: string, path: string, body?: unknown, headers?: HeaderFields): Promise<unknown>;
  /** Sends a request whose answer is read as it comes. @throws CommandError as `call` */
  open(method: string, path: string, headers?: HeaderFields): Promise<IncomingMessage>;
  /** Begins a request whose body is written and whose answer is read at the same time. */
  stream(path: string, headers: HeaderFields): ClientRequest;
}

/** @param url where the service is, perhaps below a path. @param key of a service that asks for one */
export function createApi(url: string, key: string | undefined): Api {
  const base = url.replace(/\/+$/, '');
  const client = base.startsWith('https:') ? https : http;
  const begin = (method: string, path: string, headers: HeaderFields, onError?: (error: Error) => void) => {
    if (!URL.canParse(base))
      throw new UsageError(`--server ${url}: expected a URL such as http://localhost:8000`);
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const options = { method, headers: { ...authorization, ...headers } };
    return hold(client.request(`${base}${path}`, options), onError);
  };
  const send = (
    method: string,
    path: string,
    headers: HeaderFields,
    body?: string,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = begin(method, path, headers, (error) => reject(unreachable(base, error)));
      request.once('response', resolve).end(body);
    });
  const api: Api = {
    url: base,
    async call(method, path, body, headers = {}) {
      const json = body === undefined ? undefined : JSON.stringify(body);
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      const text = await textOf(await send(method, path, { ...type, ...headers }, json).then(checked));
      return text === '' ? undefined : parsed(base, text);
    },
    open: async (method, path, headers = {}) => checked(await send(method, path, headers)),
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
