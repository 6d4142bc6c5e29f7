import type { HostedApi, HostedCall } from '../../../core/contracts/collaborators.ts';
import type { Collaborators } from '../../../core/contracts/plugin.ts';

/** Milliseconds for one call with its retries. */
const PATIENCE = 180_000;

/** One call of Chroma. */
interface Asked<Value> extends Pick<HostedCall<Value>, 'body' | 'read' | 'expected' | 'signal'> {
  readonly method?: 'GET' | 'POST';
  /** Behind the address of the server. */
  readonly path: string;
}

/** Calls a Chroma server. */
export type Client = ReturnType<typeof createClient>;

/** @throws Error for callers if the address is no URL */
export function createClient({ env, hosted }: Pick<Collaborators, 'env' | 'hosted'>) {
  const base = hosted.baseUrl(env.CHROMA_URL, '', 'CHROMA_URL');
  const apiOf = ({ method = 'POST', path }: Asked<unknown>): HostedApi => ({
    title: 'Chroma',
    url: base + path,
    method,
    urlVariable: 'CHROMA_URL, the tenant and the database',
    keyVariable: 'CHROMA_API_KEY',
    key: env.CHROMA_API_KEY ?? '',
    keyHeader: 'x-chroma-token',
  });
  return {
    ask: <Value>(asked: Asked<Value>) => hosted.ask(apiOf(asked), { ...asked, patience: PATIENCE }),
    demand: <Value>(asked: Asked<Value>) => hosted.demand(apiOf(asked), { ...asked, patience: PATIENCE }),
  };
}
