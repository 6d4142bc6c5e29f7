import { type ErrorCode, ServiceError } from '../../core/errors.ts';
import type { StreamPlan } from '../service/stream-plan.ts';
import { GroupSize } from './group-size.ts';
import { failedLine, headOf, joined, type LineAnswers } from './line-answers.ts';
import { type Line, type LineSource, sizeOf } from './line-reader.ts';
import { withLinkedStop } from './linked-stop.ts';
import type { RunAnswer } from './run-answer.ts';
import type { Runner } from './runner.ts';

/** A stream of documents, or of lists of chunks, that is to be answered. */
export interface LineStream {
  readonly plan: StreamPlan;
  /** Reads the lines after the first. */
  readonly reader: LineSource;
  readonly runner: Pick<Runner, 'run'>;
  /** Most groups of lines that are worked on at once. */
  readonly slots: number;
  /** Whether all other work comes first, see `LinesTask`. */
  readonly isBulk?: boolean;
  /** Stops the work when it aborts. */
  readonly signal: AbortSignal;
  /** Told of each answer to some lines. @param bytes those of the lines */
  onAnswer(answer: RunAnswer, bytes: number): void;
  /** Told of what failed and has no answer of the service. */
  onFailure(error: unknown): void;
  /** Told whenever lines were read or answered. @param bytes those of all lines that are read and not answered */
  onHeld(bytes: number): void;
}

/** Most bytes of lines that are worked on together. */
const GROUP_BYTES = 262_144;

/** Errors of some lines together that each of them alone may not have. */
const OF_ONE_LINE: ReadonlySet<ErrorCode> = new Set([
  'timed_out',
  'out_of_memory',
  'worker_lost',
  'internal',
]);

/** Lines that are worked on together, and how far that is. */
interface Group {
  readonly first: number;
  readonly lines: readonly Line[];
  readonly bytes: number;
  outcome: { readonly answer: LineAnswers } | { readonly error: unknown } | undefined;
  done: Promise<void>;
}

/** Works on the lines of a stream, in groups that run at the same time, and gives the answers in their order. */
export class LineGroups {
  readonly #stream: LineStream;
  readonly #size = new GroupSize();
  readonly #running: Group[] = [];
  #next = 0;
  #hasAnswered = false;

  constructor(stream: LineStream) {
    this.#stream = stream;
  }

  /** The index of the next line. */
  get next(): number {
    return this.#next;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether more lines are to be read: while all groups work, a further one is made ready. */
  get wantsMore(): boolean {
    return this.#hasRoom || this.#stream.reader.bytes < GROUP_BYTES;
  }

  /** Resolves when the oldest group is done; undefined if there is none. */
  get oldest(): Promise<void> | undefined {
    return this.#running[0]?.done;
  }

  /** Starts work on the lines that wait, as long as there is room. */
  start(): void {
    const { reader, onHeld } = this.#stream;
    while (this.#hasRoom && reader.waiting > 0) this.#startGroup(reader.take(this.#size.lines, GROUP_BYTES));
    const inWork = this.#running.reduce((sum, { bytes }) => sum + bytes, 0);
    onHeld.call(this.#stream, reader.bytes + inWork);
  }

  /**
   * Takes the answer of the oldest group.
   *
   * @returns undefined if the group is not done
   * @throws ServiceError what is wrong with the whole request, if no line has been answered yet
   */
  shift(): LineAnswers | undefined {
    const group = this.#running[0];
    if (group?.outcome === undefined) return undefined;
    this.#running.shift();
    const answer =
      'answer' in group.outcome ? group.outcome.answer : this.#failed(group, group.outcome.error);
    this.#hasAnswered = true;
    return answer;
  }

  get #hasRoom(): boolean {
    return this.#running.length < this.#stream.slots;
  }

  #startGroup(lines: readonly Line[]): void {
    const bytes = lines.reduce((sum, line) => sum + sizeOf(line), 0);
    const group: Group = { first: this.#next, lines, bytes, outcome: undefined, done: Promise.resolve() };
    this.#next += lines.length;
    group.done = answerGroup(this.#stream, group.first, lines, this.#size).then(
      (answer) => {
        group.outcome = { answer };
      },
      (error: unknown) => {
        group.outcome = { error };
      },
    );
    this.#running.push(group);
  }

  #failed({ first, lines }: Group, error: unknown): LineAnswers {
    const { plan, signal, onFailure } = this.#stream;
    if (!this.#hasAnswered || signal.aborted) throw error;
    onFailure.call(this.#stream, error);
    return joined(lines.map((line, place) => failedLine(plan, headOf(line, first + place), error)));
  }
}

async function answerGroup(
  stream: LineStream,
  first: number,
  lines: readonly Line[],
  size: GroupSize,
): Promise<LineAnswers> {
  const [line] = lines;
  if (line instanceof ServiceError) return failedLine(stream.plan, { index: first }, line);
  const body = Buffer.concat((lines as readonly Buffer[]).flatMap((one) => [one, LINE_FEED]));
  const { length } = body;
  try {
    const begin = performance.now();
    const answer = await runLinked(stream, first, body);
    size.took(performance.now() - begin - answer.queueSeconds * 1000);
    stream.onAnswer(answer, length);
    return { bytes: answer.bytes, outcomes: answer.outcomes ?? [] };
  } catch (error) {
    if (stream.signal.aborted || !isOfOneLine(error)) throw error;
    if (lines.length > 1) return answerEach(stream, first, lines, size);
    stream.onFailure(error);
    return failedLine(stream.plan, headOf(line as Line, first), error);
  }
}

const LINE_FEED = Buffer.from('\n');

/** Works on the lines one by one, each with a deadline and a thread of its own, so that one does not fail the others. */
async function answerEach(stream: LineStream, first: number, lines: readonly Line[], size: GroupSize) {
  const answers: LineAnswers[] = [];
  for (const [place, line] of lines.entries()) {
    answers.push(await answerGroup(stream, first + place, [line], size));
  }
  return joined(answers);
}

/** Runs lines with a deadline of their own, and until the stream is stopped. */
function runLinked(
  { plan, runner, signal, isBulk = false }: LineStream,
  first: number,
  body: Buffer,
): Promise<RunAnswer> {
  return withLinkedStop(signal, (stop) => runner.run({ run: 'lines', plan, first, isBulk }, body, stop));
}

function isOfOneLine(error: unknown): boolean {
  return !(error instanceof ServiceError) || OF_ONE_LINE.has(error.code);
}
