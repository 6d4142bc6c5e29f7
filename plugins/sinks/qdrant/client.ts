import type { Collaborators, HostedApi, HostedCall } from '../../../core/kit.ts';

/** One call of Qdrant. */
export interface Asked<Value> extends Pick<HostedCall<Value>, 'body' | 'read' | 'expected' | 'signal'> {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Appended to the URL of the server. */
  readonly path: string;
}

/** Milliseconds for one call with its retries. */
const PATIENCE = 180_000;

/** Calls a Qdrant server. */
export type Client = ReturnType<typeof createClient>;

/** @throws Error for callers if the URL is invalid */
export function createClient({ env, hosted }: Pick<Collaborators, 'env' | 'hosted'>) {
  const base = hosted.baseUrl(env.QDRANT_URL, '', 'QDRANT_URL');
  const apiOf = ({ method = 'POST', path }: Asked<unknown>): HostedApi => ({
    title: 'Qdrant',
    url: base + path,
    urlVariable: 'QDRANT_URL',
    method,
    keyVariable: 'QDRANT_API_KEY',
    key: env.QDRANT_API_KEY ?? '',
    keyHeader: 'api-key',
  });
  return {
    ask: <Value>(asked: Asked<Value>) => hosted.ask(apiOf(asked), { ...asked, patience: PATIENCE }),
    demand: <Value>(asked: Asked<Value>) => hosted.demand(apiOf(asked), { ...asked, patience: PATIENCE }),
  };
}
