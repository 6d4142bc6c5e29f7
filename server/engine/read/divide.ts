import { isUtf8 } from 'node:buffer';
import type { Rules } from '../operation.ts';
import type { ChunksOperation } from '../operations/chunks.ts';
import type { ChunksTask } from '../tasks.ts';
import { idAt } from './documents.ts';
import { findElements, findMembers, type JsonRange, jsonBytes } from './json.ts';
import type { Division } from './plan.ts';

/**
 * Finds the inputs of a request without parsing them. Each input is parsed where it is processed.
 *
 * @returns undefined if the request cannot be divided; reading the request then reports its errors
 */
export function divide(
  operation: ChunksOperation,
  task: ChunksTask,
  bytes: Uint8Array,
  rules: Rules,
): Division | undefined {
  const body = jsonBytes(bytes);
  if (!isUtf8(body)) return undefined;
  const given = inputsIn(body);
  if (given === undefined || !fits(operation, body, given, rules)) return undefined;
  const { member, isBatch } = given;
  const mark = bytes.length - body.length;
  const inputs = given.inputs.map(({ from, to }) => ({ from: from + mark, to: to + mark }));
  try {
    const source = member === 'chunks' ? 'apart' : member;
    const plan = operation.plan(task, optionsAround(body, given), rules, source);
    return { plan: { ...plan, takes: TAKES[member] }, inputs, isBatch };
  } catch {
    return undefined;
  }
}

/** The members of a request that may hold inputs, each with the member of a line that holds one input. */
const TAKES = { documents: 'document', chunks: 'chunks', text: 'text' } as const;
const MEMBERS = Object.keys(TAKES) as (keyof typeof TAKES)[];
const OPENINGS = { documents: 0x7b, chunks: 0x5b, text: 0x22 } as const;
const OPEN_LIST = 0x5b;

interface Inputs {
  readonly member: keyof typeof TAKES;
  readonly value: JsonRange;
  readonly inputs: readonly JsonRange[];
  readonly isBatch: boolean;
}

function inputsIn(body: Buffer): Inputs | undefined {
  const ranges = findMembers(body, 0, MEMBERS);
  const index = ranges.findIndex((range) => range !== undefined);
  const member = MEMBERS[index];
  const value = ranges[index];
  if (member === undefined || value === undefined) return undefined;
  const elements = body[value.from] === OPEN_LIST ? findElements(body, value.from) : undefined;
  const [first] = elements ?? [];
  const isBatch = member === 'chunks' ? first !== undefined && body[first.from] === OPEN_LIST : true;
  return elements === undefined || !isBatch
    ? { member, value, inputs: [value], isBatch: false }
    : { member, value, inputs: elements, isBatch: true };
}

/** Whether the list of inputs is within its limits. The limits of each input are checked when the input is read. */
function fits(
  { takes }: ChunksOperation,
  body: Buffer,
  { member, value, inputs, isBatch }: Inputs,
  { limits }: Rules,
): boolean {
  if ((member === 'chunks') !== (takes === 'chunks') || inputs.length > limits.maxDocuments) return false;
  if (!inputs.every(({ from }) => body[from] === OPENINGS[member])) return false;
  if (isBatch && !areSeparated(body, value, inputs)) return false;
  if (member === 'documents') return isBatch && haveOwnIds(body, inputs);
  if (member === 'text') return true;
  const count = inputs.reduce((sum, { from }) => sum + findElements(body, from).length, 0);
  return count <= limits.maxChunks;
}

function areSeparated(body: Buffer, list: JsonRange, elements: readonly JsonRange[]): boolean {
  let before = list.from + 1;
  return (
    elements.every(({ from, to }, index) => {
      const between = body.toString('latin1', before, from);
      before = to;
      return (index === 0 ? BLANK : COMMA).test(between);
    }) && BLANK.test(body.toString('latin1', before, list.to - 1))
  );
}

const BLANK = /^[ \t\n\r]*$/;
const COMMA = /^[ \t\n\r]*,[ \t\n\r]*$/;

function haveOwnIds(body: Buffer, documents: readonly JsonRange[]): boolean {
  const ids = new Set<string>();
  return documents.every(({ from }) => {
    const [range] = findMembers(body, from, ['id']);
    if (range === undefined) return true;
    const id = idAt(body, range);
    const isNew = id !== undefined && !ids.has(id);
    if (isNew) ids.add(id);
    return isNew;
  });
}

/** The request without its inputs. @throws SyntaxError */
function optionsAround(body: Buffer, { member, value }: Inputs): object {
  const around = `${body.toString('utf8', 0, value.from)}[]${body.toString('utf8', value.to)}`;
  const { [member]: none, ...options } = JSON.parse(around) as Record<string, unknown>;
  return member === 'chunks' ? options : { ...options, [member]: none };
}
