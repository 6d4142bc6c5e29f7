import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { JobAnswer } from '../../server/jobs/job-answer.ts';
import type { Cleanup, Client } from './server.ts';

/** A connection on which a server tells of a job. */
export interface Watching {
  readonly response: IncomingMessage;
  /** The next line that is not empty; undefined at the end. */
  line(): Promise<string | undefined>;
  /** The next event, in either form. */
  next(): Promise<JobAnswer | undefined>;
  close(): void;
}

/** Opens a connection; it is closed after the test. */
export async function watchJob(
  t: Cleanup,
  client: Client,
  id: string,
  headers: Record<string, string> = {},
): Promise<Watching> {
  const asked = get(`${client.url}/v1/jobs/${id}/events`, { headers, agent: false });
  asked.on('error', () => {});
  t.teardown(() => asked.destroy());
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })[
    Symbol.asyncIterator
  ]();
  const line = async (): Promise<string | undefined> => {
    for (;;) {
      const { done, value } = await lines.next();
      if (done) return undefined;
      if (value !== '') return value;
    }
  };
  return {
    response,
    line,
    async next() {
      for (;;) {
        const text = await line();
        if (text === undefined) return undefined;
        const json = text.replace(/^data: /, '');
        if (json.startsWith('{')) return JSON.parse(json) as JobAnswer;
      }
    },
    close: () => asked.destroy(),
  };
}
