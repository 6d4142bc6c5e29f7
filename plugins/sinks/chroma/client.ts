import type { HostedApi, HostedCall } from '../../../core/contracts/collaborators.ts';
import type { Collaborators } from '../../../core/contracts/plugin.ts';

/** Milliseconds for one call with its retries. */
const PATIENCE = 180_000;

/** One call of Chroma, always a `POST`; `path` stands behind the address of the server. */
type Asked<Value> = Pick<HostedCall<Value>, 'body' | 'read' | 'expected' | 'signal'> & {
  readonly path: string;
};

/** Calls a Chroma server. @throws Error for callers with what the server says */
export type Client = <Value>(asked: Asked<Value>) => Promise<Value>;

/** @throws Error for callers if the address is no URL */
export function createClient({ env, hosted }: Pick<Collaborators, 'env' | 'hosted'>): Client {
  const base = hosted.baseUrl(env.CHROMA_URL, '', 'CHROMA_URL');
  const api: Omit<HostedApi, 'url'> = {
    title: 'Chroma',
    urlVariable: 'CHROMA_URL, the tenant and the database',
    keyVariable: 'CHROMA_API_KEY',
    key: env.CHROMA_API_KEY ?? '',
    keyHeader: 'x-chroma-token',
  };
  return ({ path, ...call }) => hosted.demand({ ...api, url: base + path }, { ...call, patience: PATIENCE });
}
