import type { Collaborators, HostedApi, HostedCall } from '../../../core/kit.ts';

/** One call of Elasticsearch or OpenSearch. */
interface Asked<Value> extends Pick<HostedCall<Value>, 'body' | 'headers' | 'read' | 'expected' | 'signal'> {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Appended to the URL of the server. */
  readonly path: string;
}

type Environment = Collaborators['env'];

/** Milliseconds for one call with its retries. */
const PATIENCE = 180_000;

/** Calls a server. */
export type Client = ReturnType<typeof createClient>;

/** @throws Error for callers if the URL is invalid */
export function createClient({ env, hosted }: Pick<Collaborators, 'env' | 'hosted'>) {
  const base = hosted.baseUrl(env.ELASTICSEARCH_URL, '', 'ELASTICSEARCH_URL');
  const apiOf = ({ method = 'POST', path }: Asked<unknown>): HostedApi => ({
    title: 'Elasticsearch',
    url: base + path,
    urlVariable: 'ELASTICSEARCH_URL',
    method,
    ...keyOf(env),
  });
  return {
    ask: <Value>(asked: Asked<Value>) => hosted.ask(apiOf(asked), { ...asked, patience: PATIENCE }),
    demand: <Value>(asked: Asked<Value>) => hosted.demand(apiOf(asked), { ...asked, patience: PATIENCE }),
  };
}

/** An API key, or else a user and a password, the only method of OpenSearch. */
function keyOf(env: Environment): Pick<HostedApi, 'key' | 'keyScheme' | 'keyVariable'> {
  const { ELASTICSEARCH_API_KEY: key = '', ELASTICSEARCH_USERNAME: user = '' } = env;
  if (key !== '' || user === '') return { key, keyScheme: 'ApiKey', keyVariable: 'ELASTICSEARCH_API_KEY' };
  const both = Buffer.from(`${user}:${env.ELASTICSEARCH_PASSWORD ?? ''}`).toString('base64');
  return { key: both, keyScheme: 'Basic', keyVariable: 'ELASTICSEARCH_PASSWORD' };
}
