import { findElements, findMembers, type JsonPlace } from '../wire/json-places.ts';
import type { Answer } from './answer.ts';
import type { Input } from './execution.ts';
import type { StagesRequest } from './plan.ts';
import type { StreamPlan } from './stream-plan.ts';
import type { SplitTask } from './tasks.ts';
import { Timer } from './timings.ts';

/** The same batch as a stream, of which the first line has the plan. */
export interface SplitRequest {
  readonly run: 'split';
  readonly plan: StreamPlan;
  /** The JSON of each input. */
  readonly lines: readonly Uint8Array[];
  /** Seconds that it took to read the batch. */
  readonly parseSeconds: number;
}

/** @param request what was read from the body */
export function splitBatch(
  { of }: SplitTask,
  body: Buffer,
  { inputs, isBatch, ...rest }: Omit<StagesRequest, 'parseSeconds'>,
): Omit<SplitRequest, 'parseSeconds'> {
  const plan = { ...rest, takes: of.run === 'refine' ? 'chunks' : 'document' } as const;
  return { run: 'split', plan, lines: linesOf(body, inputs, isBatch) };
}

function linesOf(body: Buffer, inputs: readonly Input[], isBatch: boolean): Uint8Array[] {
  const [text, documents, chunks] = findMembers(body, 0, ['text', 'documents', 'chunks']);
  const list = documents ?? chunks;
  if (list === undefined) return textLines(body, text as JsonPlace, isBatch);
  if (documents === undefined && !isBatch) return [lineAt(body, list)];
  return elementLines(body, list).slice(0, inputs.length);
}

/** The elements of a list, each as a line of JSON with the bytes that it has in the body. */
export function elementLines(body: Buffer, list: JsonPlace): Uint8Array[] {
  return findElements(body, list.from).map((place) => lineAt(body, place));
}

function lineAt(body: Buffer, { from, to }: JsonPlace): Uint8Array {
  return withoutBreaks(body.subarray(from, to));
}

function textLines(body: Buffer, text: JsonPlace, isBatch: boolean): Uint8Array[] {
  const places = isBatch ? findElements(body, text.from) : [text];
  return places.map(({ from, to }) => Buffer.concat([TEXT, body.subarray(from, to), CLOSING]));
}

const TEXT = Buffer.from('{"text":');
const CLOSING = Buffer.from('}');
const SPACE = 0x20;

/** The same JSON in one line: line breaks in JSON are white space, as strings have them escaped. */
function withoutBreaks(json: Uint8Array): Uint8Array {
  return json.includes(LINE_FEED) || json.includes(CARRIAGE_RETURN)
    ? json.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte))
    : json;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The stream: the plan, and a line for each input. */
export function runSplit({ plan, lines, parseSeconds }: SplitRequest): Answer {
  const parts = [Buffer.from(JSON.stringify(plan)), ...lines].flatMap((line) => [line, BREAK]);
  const bytes = new Uint8Array(Buffer.concat(parts));
  return { bytes, reported: [], timings: new Timer(parseSeconds).summary(0, 0, 0) };
}

const BREAK = Buffer.from('\n');
