import { ChunksmithError } from '../clients/javascript/errors.ts';
import { Transport } from '../clients/javascript/transport.ts';
import { UsageError } from './errors.ts';

/** A command is somebody who waits: a service that is not there is asked again for a second, not for long. */
const RETRIES = 2;
const UNAUTHORIZED = 401;
const NO_KEY = 'The service asks for a valid key: set the variable CHUNKSMITH_KEY.';

/** A running service that commands talk to, by the client for JavaScript; it throws a ChunksmithError. */
export class Api extends Transport {
  readonly url: string;

  /**
   * @param url where the service is, perhaps below a path
   * @param key of a service that asks for one
   * @throws UsageError if it is no URL
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
