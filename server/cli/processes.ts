import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Log } from '../../core/contracts/collaborators.ts';
import { hold } from '../../core/hold.ts';
import {
  type CountedRequest,
  type FromProcess,
  type Metric,
  type Question,
  type RequestCount,
  SERVER_PORT,
  type ToProcess,
} from '../http/transport/siblings.ts';

/** A server of several processes: this one starts them, replaces those that end, and answers their questions. */

export interface ProcessesOptions {
  readonly count: number;
  readonly log: Log;
  /** Seconds that requests in progress have to finish. */
  readonly grace: number;
  /** Called once the first process answers requests. */
  onListening(port: number): void;
}

/** Milliseconds until a process that has ended early is replaced. */
const PAUSE = 1000;
/** Milliseconds after its start until which the end of a process is early. */
const EARLY = 10_000;
/** Seconds beyond the grace after which a process that has not stopped is killed. */
const LATE = 5;
/** Milliseconds that a process has to send its metrics. */
const COLLECTING = 2000;

/** Starts the processes, and runs until all have stopped after a signal, or until the first of them fails to start. */
export function superviseProcesses(options: ProcessesOptions): void {
  cluster.setupPrimary({ serialization: 'advanced' });
  const supervisor = new Supervisor(options);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => supervisor.stop(signal));
  supervisor.start();
}

class Supervisor {
  readonly #options: ProcessesOptions;
  /** The last known metrics of each process that answers requests. */
  readonly #metrics = new Map<Worker, Metric[]>();
  readonly #counts = new RequestCounts();
  readonly #collecting = new Map<number, (metrics: Metric[]) => void>();
  /** The counts of processes that have ended. */
  #ended: Metric[] = [];
  #lastCollection = 0;
  #port: number | undefined;
  #isStopping = false;
  #status = 0;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  start(): void {
    const begun = performance.now();
    const worker = hold(cluster.fork(this.#port === undefined ? {} : { [SERVER_PORT]: this.#port }));
    worker.on('message', (message: FromProcess) => void this.#take(worker, message));
    worker.on('exit', (code, signal) => {
      const age = performance.now() - begun;
      void this.#replace(worker, signal === null ? code : signal, age);
    });
  }

  /** Stops all processes after their requests. A second signal ends the processes at once. */
  stop(signal: NodeJS.Signals): void {
    if (this.#isStopping) {
      this.#kill();
      process.exit(1);
    }
    this.#isStopping = true;
    for (const worker of workers()) worker.process.kill(signal);
    setTimeout(() => this.#kill(), (this.#options.grace + LATE) * 1000).unref();
    if (workers().length === 0) process.exit(0);
  }

  #kill(): void {
    for (const worker of workers()) worker.process.kill('SIGKILL');
  }

  async #take(worker: Worker, message: FromProcess): Promise<void> {
    if ('listens' in message) {
      this.#metrics.set(worker, []);
      this.#noteListening(message.listens);
    }
    if ('collected' in message) {
      this.#metrics.set(worker, message.metrics);
      this.#collecting.get(message.collected)?.(message.metrics);
    }
    if ('ask' in message) {
      const value = await this.#answer(worker, message.question);
      tell(worker, { answer: message.ask, value });
    }
  }

  #noteListening(port: number): void {
    if (this.#port !== undefined) return;
    this.#port = port;
    // The others start when the first one answers: its failure to start is that of the server.
    if (!this.#isStopping) for (let more = 1; more < this.#options.count; more++) this.start();
    this.#options.onListening(port);
  }

  async #answer(worker: Worker, question: Question): Promise<unknown> {
    if (question.what === 'count') return this.#counts.count(question);
    this.#metrics.set(worker, question.own);
    const others = [...this.#metrics.keys()].filter((one) => one !== worker);
    const collected = await Promise.all(others.map((one) => this.#collect(one)));
    return [question.own, ...collected, this.#ended];
  }

  /** The metrics of a process; those that it has sent before if it does not answer. */
  async #collect(worker: Worker): Promise<Metric[]> {
    const id = ++this.#lastCollection;
    const { promise, resolve } = Promise.withResolvers<Metric[]>();
    this.#collecting.set(id, resolve);
    tell(worker, { collect: id });
    const late = sleep(COLLECTING, undefined, { ref: false });
    const metrics = await Promise.race([promise, late]);
    this.#collecting.delete(id);
    return metrics ?? this.#metrics.get(worker) ?? [];
  }

  async #replace(worker: Worker, how: number | string, age: number): Promise<void> {
    if (how !== 0 && typeof how === 'number') this.#status = how;
    if (this.#isStopping || this.#port === undefined) {
      if (workers().length === 0) process.exit(this.#status);
      return;
    }
    const { pid } = worker.process;
    this.#options.log.warn({ process: pid, how }, 'a process has ended; another one takes its place');
    await this.#keepCounts(worker);
    if (age < EARLY) await sleep(PAUSE);
    if (!this.#isStopping) this.start();
  }

  /** Keeps the counts of a process that has ended: sums over all processes never fall. */
  async #keepCounts(worker: Worker): Promise<void> {
    const last = this.#metrics.get(worker)?.filter(isCounting) ?? [];
    this.#metrics.delete(worker);
    if (last.length === 0) return;
    const { AggregatorRegistry } = await import('prom-client');
    this.#ended = await AggregatorRegistry.aggregate([this.#ended, last] as never).getMetricsAsJSON();
  }
}

const isCounting = ({ type }: Metric): boolean => ['counter', 'histogram'].includes(String(type));

const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter((one) => one !== undefined);

function tell(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

/** Maximum keys that are counted, as in the store of @fastify/rate-limit. */
const MAX_KEYS = 5000;

/** Counts requests for the limits of all processes. */
class RequestCounts {
  readonly #counts = new LRUCache<string, { current: number; begin: number }>({ max: MAX_KEYS });

  count({ limit, key, window, increments }: CountedRequest, now = Date.now()): RequestCount {
    const name = `${limit} ${key}`;
    const found = this.#counts.get(name);
    const isOver = found === undefined || found.begin + window <= now;
    const entry = isOver ? { current: 0, begin: now } : found;
    if (increments) {
      entry.current++;
      this.#counts.set(name, entry);
    }
    return { current: entry.current, ttl: entry.current === 0 ? 0 : window - (now - entry.begin) };
  }
}
