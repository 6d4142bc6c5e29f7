import { ChunksmithError } from '../clients/javascript/errors.ts';
import { Transport } from '../clients/javascript/transport.ts';
import { UsageError } from './errors.ts';

/** Maximum retries if the service is unreachable: about a second in total, because a user is waiting. */
const RETRIES = 2;
const UNAUTHORIZED = 401;
const NO_KEY = 'The service requires a valid key: set the variable CHUNKSMITH_KEY.';

/** Calls a running service through the JavaScript client. Failed calls throw a ChunksmithError. */
export class Api extends Transport {
  readonly url: string;

  /**
   * @param url URL of the service, optionally with a path
   * @param key API key; undefined if the service requires none
   * @throws UsageError if the URL is invalid
   */
  constructor(url: string, key: string | undefined) {
    if (!URL.canParse(url))
      throw new UsageError(`--server ${url}: expected a URL such as http://localhost:8000`);
    super({ baseUrl: url, maxRetries: RETRIES, ...(key !== undefined && { apiKey: key }) });
    this.url = url.replace(/\/+$/, '');
  }

  override open(...given: Parameters<Transport['open']>): Promise<Response> {
    return super.open(...given).catch((error: unknown) => {
      if (!(error instanceof ChunksmithError) || error.status !== UNAUTHORIZED) throw error;
      throw new ChunksmithError({ code: error.code, status: error.status, detail: NO_KEY });
    });
  }
}
