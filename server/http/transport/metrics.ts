import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { countTotals, type Timings } from '../../engine/answer/response-metadata.ts';
import type { RunnerLoad } from '../../engine/run/runner.ts';
import type { Siblings } from './siblings.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics for Prometheus. No label contains text, names of pipelines or keys. */
export function createMetrics({ load, bytesInFlight }: { load(): RunnerLoad; bytesInFlight(): number }) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { requests, stages } = createHistograms(registry);
  const counters = createCounters(registry);
  addGauge(registry, 'queue_depth', 'Requests waiting for a worker thread.', () => load().waiting);
  addGauge(registry, 'worker_threads', 'Worker threads running.', () => load().threads);
  addGauge(registry, 'bytes_in_flight', 'Bytes of request bodies being read and processed.', bytesInFlight);
  return {
    registry,
    /** Counts an answered request. @param route the route's pattern, never the path of the request */
    answered(route: string, method: string, status: number, seconds: number): void {
      requests.observe({ route, method, status }, seconds);
    },
    /** Counts the work on a request. @param plugin the plugin's name; `pipeline` for stored pipelines */
    worked(plugin: string, bodyBytes: number, queueSeconds: number, timings: Timings): void {
      stages.observe({ stage: 'queue', by: plugin }, queueSeconds);
      for (const { stage, by, seconds } of timings.times) stages.observe({ stage, by }, seconds);
      counters.bytes.inc({ plugin }, bodyBytes);
      counters.documents.inc({ plugin }, timings.documents);
      counters.chunks.inc({ plugin }, timings.chunks);
      counters.tokens.inc({ plugin }, timings.tokens);
      counters.totals(timings.totals, { plugin });
      for (const { name } of timings.opened) counters.models.inc({ model: name });
    },
    streamed: (plugin: string) => counters.streams.inc({ plugin }),
    /** Counts a request that failed because of a plugin. @param error the code of the error */
    failed: (kind: string, name: string, error: string) => counters.failures.inc({ kind, name, error }),
  };
}

/** The metrics in the text format of Prometheus, summed over the processes of the server. */
export async function metricsOf(registry: Registry, siblings: Siblings | undefined): Promise<string> {
  if (siblings === undefined) return registry.metrics();
  return AggregatorRegistry.aggregate((await siblings.metrics()) as never).metrics();
}

function createHistograms(registry: Registry) {
  const shared = { buckets: SECONDS, registers: [registry] };
  return {
    requests: new Histogram({
      ...shared,
      name: 'chunksmith_request_seconds',
      help: 'Time from the first byte of a request to the last byte of its answer.',
      labelNames: ['route', 'method', 'status'],
    }),
    stages: new Histogram({
      ...shared,
      name: 'chunksmith_stage_seconds',
      help: 'Time that a request spent in a stage: parse, queue, read, chunk, refine, embed, search, tokenize or serialise.',
      labelNames: ['stage', 'by'],
    }),
  };
}

function createCounters(registry: Registry) {
  const count = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `chunksmith_${name}_total`, help, labelNames, registers: [registry] });
  return {
    bytes: count('received_bytes', 'Bytes of processed request bodies.', 'plugin'),
    documents: count('documents', 'Processed texts, documents or lists of chunks.', 'plugin'),
    streams: count('streams', 'Streams of documents or of lists of chunks.', 'plugin'),
    chunks: count('chunks', 'Chunks returned.', 'plugin'),
    tokens: count('tokens', 'Tokens of the chunks returned.', 'plugin'),
    totals: countTotals((name, help) => count(name, help, 'plugin')),
    models: count('model_loads', 'Embedding models opened.', 'model'),
    failures: count('plugin_failures', 'Requests failed by a plugin.', 'kind', 'name', 'error'),
  };
}

function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: `chunksmith_${name}`,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
