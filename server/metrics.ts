import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Measures } from './measures.ts';
import type { RunnerLoad } from './run/runner.ts';

/** What the server counts for Prometheus. Nothing in it holds text, names of pipelines or keys. */
export interface Metrics {
  /** A request was answered. `route` is the route's pattern, never the path that was asked for. */
  answered(route: string, method: string, status: number, seconds: number): void;
  /** The work on a request was done. */
  worked(plugin: string, bodyBytes: number, queueSeconds: number, measures: Measures): void;
  /** All of it in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

export interface MetricsSources {
  load(): RunnerLoad;
  bytesInFlight(): number;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function createMetrics({ load, bytesInFlight }: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'chunksmith_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['route', 'method', 'status'],
    buckets: SECONDS,
    registers,
  });
  const stages = new Histogram({
    name: 'chunksmith_stage_seconds',
    help: 'Time of a request in a stage: parse, queue, chunk, refine, embed or serialise.',
    labelNames: ['stage', 'by'],
    buckets: SECONDS,
    registers,
  });
  const count = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `chunksmith_${name}_total`, help, labelNames: [...labelNames], registers });
  const bytes = count('received_bytes', 'Bytes of request bodies that were worked on.', ['plugin']);
  const chunks = count('chunks', 'Chunks that were answered.', ['plugin']);
  const tokens = count('tokens', 'Tokens of the chunks that were answered.', ['plugin']);
  const models = count('model_loads', 'Embedding models that were opened.', ['model']);
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `chunksmith_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('queue_depth', 'Requests that wait for a worker thread.', () => load().waiting);
  gauge('worker_threads', 'Worker threads that are there.', () => load().threads);
  gauge('bytes_in_flight', 'Bytes of request bodies that are read and worked on.', bytesInFlight);

  return {
    answered(route, method, status, seconds) {
      requests.observe({ route, method, status }, seconds);
    },
    worked(plugin, bodyBytes, queueSeconds, measures) {
      stages.observe({ stage: 'queue', by: plugin }, queueSeconds);
      for (const { stage, by, seconds } of measures.times) stages.observe({ stage, by }, seconds);
      bytes.inc({ plugin }, bodyBytes);
      chunks.inc({ plugin }, measures.chunks);
      tokens.inc({ plugin }, measures.tokens);
      for (const model of measures.opened) models.inc({ model });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
