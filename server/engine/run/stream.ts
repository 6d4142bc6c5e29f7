import { type ErrorCode, ServiceError, toPlainError } from '../../../core/errors.ts';
import { withLinkedStop } from '../abort.ts';
import type { Reported, Timings } from '../answer/response-metadata.ts';
import { errorLine } from '../operations/lines.ts';
import { type LineHead, type LineOutcome, lineHead, type StreamPlan } from '../read/plan.ts';
import type { LinesTask } from '../tasks.ts';
import type { RunAnswer } from './executor.ts';
import { type Line, type LineSource, sizeOf } from './line-reader.ts';
import type { Urgency } from './priority-queue.ts';

/** Maximum concurrent groups. @param ahead groups that wait for the next free thread */
export function groupsInFlight(threads: number, ahead = 2): number {
  return threads + ahead;
}

export interface LineRunner {
  run(
    task: LinesTask,
    body: Uint8Array,
    stop: AbortController,
    options: { readonly urgency: Urgency },
  ): Promise<RunAnswer>;
}

export interface LineStream {
  readonly plan: StreamPlan;
  readonly reader: LineSource;
  readonly runner: LineRunner;
  readonly rate: Rate;
  readonly slots: number;
  readonly urgency?: Urgency;
  readonly signal: AbortSignal;
  /** Called for the answer to each group of lines. @param bytes of these lines */
  onAnswer(answer: RunAnswer, bytes: number): void;
  onFailure(error: unknown): void;
  /** Called after lines were read or answered. @param bytes of all lines that were read but not answered */
  onHeld(bytes: number): void;
}

/**
 * Maximum lines, bytes and expected seconds of work per group. Each group costs a message between threads, so quick
 * lines are grouped. Lines of a group share a deadline, so slow lines go alone.
 */
const MAX_LINES = 256;
const GROUP_BYTES = 262_144;
const GROUP_SECONDS = 0.02;

/** Errors of a group that might not occur if each of its lines were processed alone. */
const OF_ONE_LINE: ReadonlySet<ErrorCode> = new Set([
  'timed_out',
  'out_of_memory',
  'worker_lost',
  'internal',
]);

type Outcome = { readonly answer: LineAnswers } | { readonly error: unknown };

interface Group {
  readonly first: number;
  readonly lines: readonly Line[];
  readonly bytes: number;
  readonly outcome: Promise<Outcome>;
}

/** Processes the lines of a stream in concurrent groups, and gives the answers in order. */
class LineGroups {
  readonly #stream: LineStream;
  readonly #running: Group[] = [];
  next = 0;
  hasAnswered = false;

  constructor(stream: LineStream) {
    this.#stream = stream;
  }

  /** Whether to read ahead: at most one group beyond those in flight. */
  get wantsMore(): boolean {
    return this.#hasRoom || this.#stream.reader.bytes < GROUP_BYTES;
  }

  get oldest(): Promise<Outcome> | undefined {
    return this.#running[0]?.outcome;
  }

  start(): void {
    const { reader } = this.#stream;
    while (this.#hasRoom && this.#isDue) this.#startGroup(reader.take(MAX_LINES, this.#groupBytes));
    const inWork = this.#running.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#stream.onHeld(reader.bytes + inWork);
  }

  /**
   * Takes the answer of the oldest group, which has ended.
   *
   * @throws ServiceError errors of the whole request, if no line has been answered yet
   */
  take(outcome: Outcome): LineAnswers {
    const group = this.#running.shift() as Group;
    const answer = 'answer' in outcome ? outcome.answer : this.#failed(group, outcome.error);
    this.hasAnswered = true;
    return answer;
  }

  /** Maximum bytes of the next group. A group has only one line until the duration of lines is known. */
  get #groupBytes(): number {
    const seconds = this.#stream.rate.expect(GROUP_BYTES) ?? Number.POSITIVE_INFINITY;
    return GROUP_BYTES * Math.min(1, GROUP_SECONDS / seconds);
  }

  /** Whether to start a group now. While others are in work, it waits until it is full: each costs a message. */
  get #isDue(): boolean {
    const { waiting, bytes, isOver } = this.#stream.reader;
    if (waiting === 0) return false;
    return this.#running.length === 0 || isOver || waiting >= MAX_LINES || bytes >= this.#groupBytes;
  }

  get #hasRoom(): boolean {
    return this.#running.length < this.#stream.slots;
  }

  #startGroup(lines: readonly Line[]): void {
    const first = this.next;
    const bytes = lines.reduce((sum, line) => sum + sizeOf(line), 0);
    const outcome = answerGroup(this.#stream, first, lines).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    this.next += lines.length;
    this.#running.push({ first, lines, bytes, outcome });
  }

  #failed({ first, lines }: Group, error: unknown): LineAnswers {
    const { plan, signal } = this.#stream;
    if (!this.hasAnswered || signal.aborted || plan.writes === 'lists') throw error;
    this.#stream.onFailure(error);
    return joined(lines.map((line, index) => failedLine(plan, headOf(line, first + index), error)));
  }
}

async function answerGroup(stream: LineStream, first: number, lines: readonly Line[]): Promise<LineAnswers> {
  const { plan, signal, rate } = stream;
  const [line] = lines;
  if (line instanceof ServiceError) return failedLine(plan, { index: first }, line);
  const group = lines as readonly Buffer[];
  const bytes = group.reduce((sum, { length }) => sum + length, 0);
  try {
    const answer = await runGroup(stream, first, group);
    rate.note(bytes, answer.timings);
    stream.onAnswer(answer, bytes);
    return { bytes: answer.bytes, outcomes: answer.outcomes ?? [], reported: answer.reported };
  } catch (error) {
    if (signal.aborted || plan.writes === 'lists' || !isOfOneLine(error)) throw error;
    if (lines.length > 1) return answerEach(stream, first, lines);
    stream.onFailure(error);
    return failedLine(plan, headOf(line as Line, first), error);
  }
}

/** Processes each line alone, with its own deadline and thread, so that a failure affects only one line. */
async function answerEach(stream: LineStream, first: number, lines: readonly Line[]) {
  const answers: LineAnswers[] = [];
  for (const [index, line] of lines.entries()) {
    answers.push(await answerGroup(stream, first + index, [line]));
  }
  return joined(answers);
}

function runGroup(
  { plan, runner, signal, urgency = 'patient' }: LineStream,
  first: number,
  lines: readonly Buffer[],
): Promise<RunAnswer> {
  const lengths = lines.map(({ length }) => length);
  const task = { run: 'lines', plan, first, lengths } as const;
  return withLinkedStop(signal, (stop) => runner.run(task, Buffer.concat(lines), stop, { urgency }));
}

function isOfOneLine(error: unknown): boolean {
  return !(error instanceof ServiceError) || OF_ONE_LINE.has(error.code);
}

export interface LineAnswers {
  readonly bytes: Uint8Array;
  /** The outcome of each line, if the plan does not write answers. */
  readonly outcomes: readonly LineOutcome[];
  readonly reported: readonly Reported[];
}

function joined(answers: readonly LineAnswers[]): LineAnswers {
  return {
    bytes: Buffer.concat(answers.map(({ bytes }) => bytes)),
    outcomes: answers.flatMap(({ outcomes }) => outcomes),
    reported: answers.flatMap(({ reported }) => reported),
  };
}

function failedLine({ writes }: StreamPlan, head: LineHead, error: unknown): LineAnswers {
  if (writes === undefined) return { bytes: errorLine(head, error), outcomes: [], reported: [] };
  return { bytes: NOTHING, outcomes: [{ ...head, error: toPlainError(error) }], reported: [] };
}

const NOTHING = Buffer.alloc(0);

/** The head of the answer to an unprocessed line, with its id if the line can be parsed. */
function headOf(line: Line, index: number): LineHead {
  try {
    return Buffer.isBuffer(line) ? lineHead(JSON.parse(line.toString()), line, index) : { index };
  } catch {
    return { index };
  }
}

/**
 * Answers the lines of a stream in order. Lines are read and processed only as fast as the caller takes answers,
 * so memory stays bounded.
 *
 * @throws ServiceError errors of the whole request before the first answer. Later errors become answers to their
 * lines, or a final answer if the stream breaks. If the plan writes no answers, later errors are thrown.
 */
export async function* answerLines(stream: LineStream): AsyncGenerator<LineAnswers> {
  const { reader, signal, plan } = stream;
  const groups = new LineGroups(stream);
  let reading: Promise<undefined> | undefined;
  let broken: { readonly error: unknown } | undefined;
  const read = async (): Promise<undefined> => {
    try {
      await reader.read();
    } catch (error) {
      broken = { error };
    }
    reading = undefined;
  };
  for (;;) {
    groups.start();
    if (groups.wantsMore && !reader.isOver && broken === undefined) reading ??= read();
    const awaited = [groups.oldest, reading].filter((one) => one !== undefined);
    if (awaited.length === 0) break;
    const outcome = await Promise.race(awaited);
    signal.throwIfAborted();
    if (outcome !== undefined) yield groups.take(outcome);
  }
  if (broken === undefined) return;
  if (!groups.hasAnswered || plan.writes !== undefined) throw broken.error;
  stream.onFailure(broken.error);
  yield failedLine(plan, { index: groups.next }, broken.error);
}

/** Maximum kinds of work that are tracked. */
const MAX_KEPT = 1000;
/** The weight of the newest measurement, if it covers `WHOLE_BYTES` or more. Smaller measurements weigh less. */
const NEWEST = 0.3;
const WHOLE_BYTES = 65_536;

type Plugins = readonly { readonly kind: string; readonly name: string }[];

/** Duration per byte of earlier work by the same plugins. */
export interface Rate {
  /** Expected seconds of work, excluding parsing and serialising; undefined without measurements. */
  expect(bytes: number): number | undefined;
  note(bytes: number, timings: Timings): void;
}

/** Learns the duration of work, so that it can be divided into messages of a suitable size. */
export class Throughput {
  readonly #secondsPerByte = new Map<string, number>();

  of(plugins: Plugins): Rate {
    const key = plugins.map(({ kind, name }) => `${kind}/${name}`).join(' ');
    return {
      expect: (bytes) => {
        const known = this.#secondsPerByte.get(key);
        return known === undefined ? undefined : known * bytes;
      },
      note: (bytes, timings) => this.#note(key, bytes, timings),
    };
  }

  #note(key: string, bytes: number, { times }: Timings): void {
    if (bytes === 0) return;
    const work = times.filter(({ stage }) => stage !== 'parse' && stage !== 'serialise');
    const now = work.reduce((sum, { seconds }) => sum + seconds, 0) / bytes;
    const before = this.#secondsPerByte.get(key) ?? now;
    const weight = NEWEST * Math.min(1, bytes / WHOLE_BYTES);
    if (this.#secondsPerByte.size >= MAX_KEPT && !this.#secondsPerByte.has(key)) this.#secondsPerByte.clear();
    this.#secondsPerByte.set(key, weight * now + (1 - weight) * before);
  }
}
