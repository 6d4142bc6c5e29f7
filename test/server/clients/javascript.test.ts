import { setTimeout as sleep } from 'node:timers/promises';
import { Chunksmith, ChunksmithError } from 'chunksmith/client';
import t, { type Test } from 'tap';
import { needs } from '../../support/here.ts';
import { startJobServer } from '../../support/jobs.ts';
import type { AnswerChunk } from '../../support/service.ts';
import { at, CASES, filled, type Step, textsOf } from './cases.ts';
import { startRefusingProxy } from './refusing-proxy.ts';

/** The JavaScript client does what all clients do. */

const server = await startJobServer(t);
const proxy = await startRefusingProxy(t, server.url);
let runs = 0;

type Call = (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

interface Outcome {
  readonly answer?: unknown;
  readonly headers?: Headers | undefined;
  readonly error?: unknown;
  /** How many requests the proxy has seen. */
  readonly requests: number;
}

async function perform(step: Step): Promise<Outcome> {
  const run = `run-${++runs}`;
  const baseUrl = step.proxy === undefined ? server.url : proxy.url(run, step.proxy);
  const client = new Chunksmith({ baseUrl });
  const { call, args, named, items, file, settings, abort, take } = step;
  const controller = new AbortController();
  let headers: Headers | undefined;
  const onHeaders = (given: Headers) => {
    headers = given;
  };
  const given = [items, file && fileOf(file), named].filter((one) => one !== undefined);
  try {
    const target = call.includes('.') ? at(client, call.split('.')[0] ?? '') : client;
    const options = { ...settings, onHeaders, signal: controller.signal };
    const begun = (at(client, call) as Call).apply(target, [...args, ...given, options]);
    if (abort !== undefined) void abortAfter(controller, run, abort);
    const answer = await (Symbol.asyncIterator in begun ? collect(begun, take) : begun);
    return { answer, headers, requests: proxy.seen(run) };
  } catch (error) {
    return { error, requests: proxy.seen(run) };
  }
}

function fileOf({ name, mediaType, text, base64 = '' }: NonNullable<Step['file']>) {
  return { name, mediaType, data: text ?? Uint8Array.from(Buffer.from(base64, 'base64')) };
}

async function abortAfter(controller: AbortController, run: string, requests: number): Promise<void> {
  while (proxy.seen(run) < requests) await sleep(5);
  controller.abort(new Error('as it was asked to'));
}

async function collect(lines: AsyncIterable<unknown>, take = Number.POSITIVE_INFINITY): Promise<unknown[]> {
  const all = [];
  for await (const line of lines) {
    all.push(line);
    if (all.length === take) break;
  }
  return all;
}

function check(t: Test, step: Step, outcome: Outcome): void {
  const { answer, headers, error, requests } = outcome;
  if (step.requests !== undefined) t.equal(requests, step.requests, 'requests');
  if (step.abort !== undefined) return void t.match(error, { message: 'as it was asked to' });
  if (step.error !== undefined) return void checkError(t, step.error, error);
  if (error !== undefined) throw error;
  for (const [path, value] of Object.entries(step.equal ?? {})) {
    const isAbsent = typeof value === 'object' && value !== null && '$absent' in value;
    t.strictSame(at(answer, path), isAbsent ? undefined : value, `equal ${path}`);
  }
  for (const [path, length] of Object.entries(step.length ?? {}))
    t.equal((at(answer, path) as unknown[]).length, length, `length ${path}`);
  for (const [path, pattern] of Object.entries(step.match ?? {}))
    t.match(at(answer, path), new RegExp(pattern), `match ${path}`);
  for (const [name, pattern] of Object.entries(step.headers ?? {}))
    t.match(headers?.get(name), new RegExp(pattern), `header ${name}`);
  checkTexts(t, step, answer);
}

function checkError(t: Test, expected: NonNullable<Step['error']>, error: unknown): void {
  if (!(error instanceof ChunksmithError)) throw error ?? new Error('it did not fail');
  const { code, detail, status = null, requestId } = error;
  t.equal(code, expected.code);
  t.match(detail, new RegExp(expected.detail));
  t.equal(error.message, detail);
  if (expected.status !== undefined) t.equal(status, expected.status);
  if (expected.requestId !== undefined) t.equal(requestId !== undefined, expected.requestId);
}

/** Whether all chunks are slices of their texts, and joined they are the texts. */
function checkTexts(t: Test, { slices, whole, ...step }: Step, answer: unknown): void {
  if (slices !== true && whole !== true) return;
  const all = answer as (AnswerChunk | AnswerChunk[] | { readonly chunks?: AnswerChunk[] })[];
  const isOne = typeof step.named?.text === 'string' || step.file !== undefined;
  const lists = isOne
    ? [all as AnswerChunk[]]
    : all.map((one) => ('chunks' in one ? one.chunks : one) as AnswerChunk[]);
  const wrong = textsOf(step).filter((text, place) => {
    const chunks = lists[place];
    if (text === undefined || !Array.isArray(chunks)) return false;
    const isSliced = chunks.every((one) => text.slice(one.start_index, one.end_index) === one.text);
    return (slices && !isSliced) || (whole && chunks.map((one) => one.text).join('') !== text);
  });
  t.same(wrong, [], 'texts are cut as they should be');
}

/** In Node, a stream is one request. */
for (const { name, needs: plugins, steps } of CASES.filter(({ batches }) => batches !== true)) {
  t.test(name, needs(...plugins), async (t) => {
    const saved: Record<string, unknown> = {};
    for (const asked of steps) {
      const step = filled(asked, saved);
      const outcome = await perform(step);
      if (step.save !== undefined) saved[step.save] = outcome.answer;
      await t.test(step.call, async (t) => check(t, step, outcome));
    }
  });
}
