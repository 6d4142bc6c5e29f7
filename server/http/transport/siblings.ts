import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

/**
 * What the processes of one server know together. Each of them asks the process that has started them, which
 * `server/cli/processes.ts` runs.
 */
export interface Siblings {
  /** Lets the other processes read the metrics of this one. */
  offer(registry: Registry): void;
  /** The metrics of all processes, and the counts of processes that have ended. */
  metrics(): Promise<Metric[][]>;
  /** The port that another process of the server listens on; undefined in the first process. */
  readonly port: number | undefined;
  /** Says that this process answers requests. */
  listens(port: number): void;
  /** Counts a request, or reads its count. */
  count(asked: CountedRequest): Promise<RequestCount>;
}

export type Metric = MetricObjectWithValues<MetricValue<string>>;

export interface CountedRequest {
  /** What is counted: the requests of `key`, for example of an address. */
  readonly limit: string;
  readonly key: string;
  /** Milliseconds from the first request until counting begins again. */
  readonly window: number;
  readonly increments: boolean;
}

export interface RequestCount {
  readonly current: number;
  /** Milliseconds until counting begins again. */
  readonly ttl: number;
}

export type Question =
  | { readonly what: 'metrics'; readonly own: Metric[] }
  | ({ readonly what: 'count' } & CountedRequest);

/** Sent by a process of a server: a question, its metrics, or that it answers requests. */
export type FromProcess =
  | { readonly ask: number; readonly question: Question }
  | { readonly collected: number; readonly metrics: Metric[] }
  | { readonly listens: number };

/** Sent to a process of a server: an answer, or a wish for its metrics. */
export type ToProcess = { readonly answer: number; readonly value: unknown } | { readonly collect: number };

/** The environment variable by which a process learns the port of the server. */
export const SERVER_PORT = 'CHUNKSMITH_SERVER_PORT';

export function connectSiblings({ [SERVER_PORT]: port }: NodeJS.ProcessEnv): Siblings {
  const asked = new Map<number, (value: unknown) => void>();
  let last = 0;
  let offered: Registry | undefined;
  const own = async () => (await offered?.getMetricsAsJSON()) ?? [];
  const send = (message: FromProcess) => {
    if (process.connected) process.send?.(message);
  };
  const ask = <T>(question: Question): Promise<T> =>
    new Promise((resolve) => {
      asked.set(++last, resolve as (value: unknown) => void);
      send({ ask: last, question });
    });
  process.on('message', async (message: ToProcess) => {
    if ('collect' in message) send({ collected: message.collect, metrics: await own() });
    else {
      asked.get(message.answer)?.(message.value);
      asked.delete(message.answer);
    }
  });
  return {
    offer(registry) {
      offered = registry;
    },
    port: port === undefined ? undefined : Number(port),
    listens: (port) => send({ listens: port }),
    metrics: async () => ask({ what: 'metrics', own: await own() }),
    count: (counted) => ask({ what: 'count', ...counted }),
  };
}
