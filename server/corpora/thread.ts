import { inOwnTerms } from '../cli/own-terms.ts';
import { release } from '../engine/memory.ts';
import type { BulkChannel } from '../engine/run/bulk-threads.ts';
import { ByteBudget } from '../engine/run/byte-budget.ts';
import { Runner } from '../engine/run/runner.ts';
import type { ServiceCradle } from '../service-container.ts';
import { type Chunking, localChunking, type Tally } from './chunk-documents.ts';
import { EarlierIds, type EarlierIndex, onlyChanges } from './command/changes.ts';
import { inCommandTerms } from './command/command-terms.ts';
import type { LinesMessage, LinesTask } from './command/lines-task.ts';
import { readRange } from './command/read-range.ts';
import { joinReports, type Report, Reporter } from './command/reports.ts';
import { chunkShard } from './jobs/chunk-shard.ts';
import { createServerLocations } from './jobs/server-locations.ts';
import type { ShardMessage, StoreQuestion } from './jobs/shard-threads.ts';
import { storingIn } from './jobs/sink.ts';
import type { JobLocations } from './jobs/spec.ts';
import type { LocationsData, ShardTask } from './range-task.ts';
import type { Skip } from './shard.ts';
import { createLocalFolder } from './storage/local/folder.ts';

interface ThreadTools {
  readonly cradle: ServiceCradle;
  readonly channel: BulkChannel;
  readonly signal: AbortSignal;
}

/** Works on a part of a source in a worker thread. @throws ServiceError */
export async function workOnRange(task: object, tools: ThreadTools): Promise<void> {
  const range = task as ShardTask | LinesTask;
  await (range.kind === 'shard' ? workOnShard(range, tools) : workOnLines(range, tools));
}

/** Bytes of chunks that are sent together. */
const TOGETHER = 1_048_576;

async function workOnLines({ range, work }: LinesTask, { cradle, channel, signal }: ThreadTools) {
  const { spec, folder, limit, failFast, wanted } = work;
  const send = (message: LinesMessage, moved: readonly ArrayBuffer[] = []) => channel.post(message, moved);
  send({ hasBegun: true });
  const earlier = work.earlier && new EarlierIds(work.earlier);
  const reporter = new Reporter(wanted, earlier);
  const skips: Skip[] = [];
  let reports: Report[] = [];
  let bytes = 0;
  const sending = new Throttle(() => {
    if (reports.length === 0) return;
    const report = joinReports(reports);
    send({ report }, [report.bytes.buffer]);
    reports = [];
    bytes = 0;
  });
  try {
    const lines = readRange(range, {
      storage: createLocalFolder(folder),
      spec,
      limit,
      cradle,
      signal,
      onSkipped: (skip) => skips.push(skip),
    });
    const chunking = chunkingIn(cradle, runnerIn(cradle, channel), true);
    for await (const group of chunking(spec, lines, signal)) {
      const report = reporter.report(group);
      reports.push(report);
      bytes += report.bytes.length;
      const isLast = failFast && report.failures.length > 0;
      if (bytes >= TOGETHER || isLast) sending.now();
      else sending.soon();
      if (isLast) break;
    }
    sending.now();
    if (skips.length > 0) send({ skips: reporter.reportSkips(skips) });
  } catch (error) {
    sending.now();
    throw error;
  } finally {
    sending.end();
    earlier?.close();
  }
}

/** Milliseconds between two reports that could also be sent together. */
const PAUSE = 100;

/** Sends the first report at once, and later ones together after a pause. */
class Throttle {
  readonly #send: () => void;
  #sent = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: () => void) {
    this.#send = send;
  }

  soon(): void {
    const left = this.#sent + PAUSE - performance.now();
    if (left <= 0) this.now();
    else this.#timer ??= setTimeout(() => this.now(), left);
  }

  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sent = performance.now();
    this.#send();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

async function workOnShard({ claim, work }: ShardTask, { cradle, channel, signal }: ThreadTools) {
  const { registry, host } = cradle;
  const { locations, limit } = work;
  const earlier = work.earlier && new EarlierIds(work.earlier as EarlierIndex);
  const isCommand = locations.kind === 'folders';
  const runner = runnerIn(cradle, channel);
  const send = (message: ShardMessage) => channel.post(message);
  const ask = (question: StoreQuestion) => channel.ask(question);
  let tally: Tally | undefined;
  const sending = new Throttle(() => tally && send({ tally }));
  const result = await chunkShard(claim, signal, {
    registry,
    host,
    chunking: chunkingIn(cradle, runner, isCommand),
    locations: openLocations(locations),
    limit,
    store: {
      noteStored: async (...given) => (await ask({ method: 'noteStored', given })) as readonly string[],
      noteFailed: async (...given) => void (await ask({ method: 'noteFailed', given })),
    },
    storing: isCommand ? undefined : storingIn(runner),
    onProgress(now) {
      tally = { ...now };
      sending.soon();
    },
    filter: earlier && ((group) => onlyChanges(group, earlier, { added: 0, unchanged: 0, deleted: 0 })),
    ...(isCommand && { inTerms: inOwnTerms }),
  }).finally(() => {
    sending.now();
    earlier?.close();
  });
  send({ result });
}

/** Runs everything in this thread. Each group of documents waits for its turn. */
function runnerIn(cradle: ServiceCradle, channel: BulkChannel): Pick<Runner, 'run' | 'throughput'> {
  const runner = inlineRunner(cradle);
  return {
    throughput: runner.throughput,
    run(task, body, stop, options) {
      const run = () => runner.run(task, body, stop, options);
      // Chunks are stored beside the next group, and a sink limits its own time.
      if (options?.hasNoDeadline) return run();
      return channel.group(run).finally(() => release(body));
    },
  };
}

const runners = new WeakMap<ServiceCradle, Runner>();

function inlineRunner(cradle: ServiceCradle): Runner {
  const { config, service } = cradle;
  const known = runners.get(cradle) ?? new Runner({ config, service, pool: undefined });
  runners.set(cradle, known);
  return known;
}

function chunkingIn(
  { service }: ServiceCradle,
  runner: Pick<Runner, 'run' | 'throughput'>,
  isCommand: boolean,
): Chunking {
  // The main thread accounts for the bytes of this thread.
  const byteBudget = new ByteBudget(Number.POSITIVE_INFINITY);
  const chunking = localChunking({ service, runner, slots: 1, byteBudget });
  return isCommand ? inCommandTerms(chunking) : chunking;
}

function openLocations(data: LocationsData): JobLocations {
  if (data.kind === 'server') return createServerLocations(data.settings, NO_UPLOADS);
  const { source, target, format } = data;
  const storage = createLocalFolder(source);
  const output = { storage: createLocalFolder(target), folder: '', format };
  return {
    source: async () => ({ storage, from: { files: [] } }),
    target: async () => output,
  };
}

const NO_UPLOADS = { upload: async () => null };
