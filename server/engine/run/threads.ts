import { ServiceError } from '../../../core/errors.ts';
import { withLinkedStop } from '../abort.ts';
import { joinTimings, type Timings } from '../answer/response-metadata.ts';
import { release } from '../memory.ts';
import type { Service } from '../service.ts';
import type { Answer, ChunksTask, OnPart, Task } from '../tasks.ts';
import type { Executor, RunAnswer, Work } from './executor.ts';
import { LineList } from './line-reader.ts';
import { NOBODY, type PriorityQueue, type Urgency } from './priority-queue.ts';
import { answerLines, groupsInFlight, type LineAnswers, type Rate, type Throughput } from './stream.ts';

export interface ThreadsOptions {
  readonly pool: Executor;
  readonly queue: PriorityQueue;
  readonly service: Pick<Service, 'plugins'>;
  readonly throughput: Throughput;
  readonly maxAnswerBytes: number;
}

export interface EnterOptions {
  readonly urgency?: Urgency | undefined;
  readonly onPart?: OnPart | undefined;
}

export class Threads {
  readonly #options: ThreadsOptions;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /**
   * Runs a task.
   *
   * @param body bytes of the request; they may be transferred
   * @throws ServiceError `overloaded`, the signal's reason, or errors of the executor
   */
  async run(
    task: Task,
    body: Uint8Array,
    signal: AbortSignal,
    options: EnterOptions = {},
  ): Promise<RunAnswer> {
    const { length } = body;
    if (!isChunksTask(task)) return this.enter({ task, body }, length, signal, options);
    const rate = this.#rateOf(task);
    if (this.#isWorthDividing(rate, length)) return this.#runInGroups(task, body, rate, signal);
    const answer = await this.enter({ task, body }, length, signal, options);
    rate.note(length, answer.timings);
    return answer;
  }

  /** Waits for a thread and runs the work in it. @param bytes of the request */
  async enter(
    work: Work,
    bytes: number,
    signal: AbortSignal,
    { urgency, onPart }: EnterOptions = {},
  ): Promise<RunAnswer> {
    const { queue, pool } = this.#options;
    const begin = performance.now();
    const leave = await queue.enter(bytes, signal, { urgency, sender: senderOf(work) });
    const queueSeconds = (performance.now() - begin) / 1000;
    try {
      return { ...(await pool.run(work, signal, onPart)), queueSeconds };
    } finally {
      leave();
    }
  }

  #rateOf(task: ChunksTask): Rate {
    const { service, throughput } = this.#options;
    const plugins = service.plugins(task) ?? [];
    return throughput.of(plugins.flatMap((entry) => (entry === undefined ? [] : [entry.manifest])));
  }

  /** Whether processing inputs in groups saves more than its messages cost; false if the duration is unknown. */
  #isWorthDividing(rate: Rate, bytes: number): boolean {
    const seconds = rate.expect(bytes) ?? 0;
    return this.#options.queue.idle > 1 && seconds >= MIN_SECONDS && seconds >= bytes * SECONDS_PER_BYTE;
  }

  /** Finds the inputs in one thread, and processes groups of them in all. A failing group stops the others. */
  async #runInGroups(
    task: ChunksTask,
    body: Uint8Array,
    rate: Rate,
    signal: AbortSignal,
  ): Promise<RunAnswer> {
    const { length } = body;
    const first = await this.enter({ task, body, divides: 'lists' }, length, signal);
    if (first.division === undefined) {
      rate.note(length, first.timings);
      return first;
    }
    try {
      const answer = await withLinkedStop(signal, (stop) => this.#answerGroups(first, rate, stop));
      release(first.body as Uint8Array);
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceError && OF_READING.has(error.code))) throw error;
      // The error must name the input's place in the batch, so the batch is read again as a whole.
      const whole = { task, body: first.body as Uint8Array };
      return this.enter(whole, whole.body.length, signal, { urgency: 'patient' });
    }
  }

  async #answerGroups(first: RunAnswer, rate: Rate, stop: AbortController): Promise<RunAnswer> {
    const { division, body } = first as Required<Pick<Answer, 'division' | 'body'>>;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    const timings: Timings[] = [first.timings];
    let queueSeconds = 0;
    const answers = answerLines({
      plan: { ...division.plan, writes: 'lists' },
      reader: new LineList(division.inputs.map(({ from, to }) => bytes.subarray(from, to))),
      runner: {
        run: (task, group, { signal }) =>
          this.enter({ task, body: group }, group.length, signal, { urgency: 'patient' }),
      },
      rate,
      slots: groupsInFlight(this.#options.queue.idle, 1),
      signal: stop.signal,
      onAnswer(answer) {
        timings.push(answer.timings);
        queueSeconds = Math.max(queueSeconds, answer.queueSeconds);
      },
      onFailure() {},
      onHeld() {},
    });
    const groups: LineAnswers[] = [];
    try {
      for await (const group of answers) groups.push(group);
    } catch (error) {
      stop.abort(error);
      throw error;
    }
    return {
      bytes: joinLists(groups, this.#options.maxAnswerBytes),
      reported: groups.flatMap(({ reported }) => reported),
      timings: joinTimings(timings),
      queueSeconds: first.queueSeconds + queueSeconds,
    };
  }
}

const MIN_SECONDS = 0.02;
/** Seconds per byte below which dividing work costs more than it saves. */
const SECONDS_PER_BYTE = 40e-9;
const OF_READING: ReadonlySet<string> = new Set(['invalid_parameters', 'line_not_json']);

function senderOf(work: Work): string | undefined {
  return 'task' in work && work.task.run === 'file' ? (work.task.sender ?? NOBODY) : undefined;
}

function isChunksTask(task: Task): task is ChunksTask {
  return 'name' in task || 'steps' in task;
}

/**
 * Joins the lists of groups into one JSON list, and frees the memory of the groups.
 *
 * @param limit maximum bytes
 * @throws ServiceError `answer_too_large`
 */
function joinLists(groups: readonly LineAnswers[], limit: number): Uint8Array<ArrayBuffer> {
  const bytes = groups.reduce((sum, group) => sum + group.bytes.length + 1, 1);
  if (bytes > limit) throw new ServiceError('answer_too_large', { bytes, limit });
  const all = Buffer.allocUnsafeSlow(bytes);
  let at = all.write('[');
  for (const group of groups) {
    all.set(group.bytes, at);
    at += group.bytes.length;
    at += all.write(at === bytes - 1 ? ']' : ',', at);
    release(group.bytes);
  }
  return all;
}
