import { ChunksmithError } from '../clients/javascript/errors.ts';
import type { CallSettings } from '../clients/javascript/settings.ts';
import { type Call, Transport } from '../clients/javascript/transport.ts';
import { CommandError, UsageError } from './errors.ts';

/** A running service that commands talk to, by the client for JavaScript. */
export interface Api {
  readonly url: string;
  /**
   * Sends a request and reads the JSON of its answer.
   *
   * @param body becomes JSON
   * @throws RefusedError with what the service answered
   * @throws CommandError if it cannot be reached
   */
  call(
    method: NonNullable<Call['method']>,
    path: string,
    body?: unknown,
    headers?: Call['headers'],
  ): Promise<unknown>;
  /** Sends a request whose answer is read as it comes. @throws as `call` */
  bytes(call: Call, settings?: CallSettings): AsyncGenerator<Uint8Array, void, undefined>;
}

/** A command is somebody who waits: a service that is not there is asked again for a second, not for long. */
const RETRIES = 2;

/**
 * @param url where the service is, perhaps below a path
 * @param key of a service that asks for one
 * @throws UsageError if it is no URL
 */
export function createApi(url: string, key: string | undefined): Api {
  if (!URL.canParse(url))
    throw new UsageError(`--server ${url}: expected a URL such as http://localhost:8000`);
  const transport = new Transport({
    baseUrl: url,
    maxRetries: RETRIES,
    ...(key !== undefined && { apiKey: key }),
  });
  return {
    url: url.replace(/\/+$/, ''),
    call: (method, path, json, headers = {}) =>
      transport.json({ method, path, json, headers }).catch(throwTold),
    async *bytes(call, settings) {
      try {
        yield* transport.bytes(call, settings);
      } catch (error) {
        throwTold(error);
      }
    },
  };
}

/** The service's answer to a request that it did not carry out. */
export class RefusedError extends CommandError {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

const UNAUTHORIZED = 401;
const NO_KEY = 'The service asks for a valid key: set the variable CHUNKSMITH_KEY.';

/** Throws what is told of an error of the client. */
function throwTold(error: unknown): never {
  if (!(error instanceof ChunksmithError)) throw error;
  const { status, detail } = error;
  if (status === undefined) throw new CommandError(detail);
  throw new RefusedError(status, status === UNAUTHORIZED ? NO_KEY : detail);
}
