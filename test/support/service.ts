import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Registry } from '../../core/hosting/registry.ts';
import type { Config } from '../../server/config/config.ts';
import { metadataOf } from '../../server/engine/answer/response-metadata.ts';
import type { StreamPlan } from '../../server/engine/read/plan.ts';
import type { Service } from '../../server/engine/service.ts';
import type { ChunksTask, DocumentsTask, Fields, Task } from '../../server/engine/tasks.ts';
import { errorAnswerOf } from '../../server/http/transport/error-handler.ts';
import { composeQuietly as compose, runTask } from '../../server/testing/harness.ts';
import { type Answer, type Cleanup, type Client, withStandIns } from './server.ts';

export { runTask };

export interface AnswerChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/** The service of one thread with the plugins that shared tests name, with everything real but the log. */
export function composeQuietly(config: Partial<Config> = {}) {
  return compose(withStandIns(config));
}

/** Reads a request, runs it on this thread, and gives the parsed answer. */
export async function answerTo<T>(service: Service, task: Task, request: object): Promise<T> {
  const { bytes } = await runTask(service, task, request);
  return JSON.parse(Buffer.from(bytes).toString());
}

/** A function that sends a request to a chunker and gives the parsed answer. */
export async function openChunkers() {
  const { service } = await composeQuietly();
  return (name: string, request: object) => answerTo<AnswerChunk[]>(service, { run: 'chunk', name }, request);
}

/** A step as a caller writes it. */
export type GivenStep = Partial<PipelineStep> & Pick<PipelineStep, 'type'>;

/**
 * A service that is asked what a server is asked, without one: no socket, no route, no thread. A path means the task that its
 * route means, and an error of the catalogue is an answer with its status; any other error is thrown.
 */
export type OpenService = Awaited<ReturnType<typeof openService>>;

/** Plugins that were loaded, by the settings that say which: loading them takes most of the time to open a service. */
const loaded = new Map<string, Registry>();

/**
 * Opens the service until the test ends; `const { post } = await openService(t)`.
 *
 * @param given plugins that were loaded for this test, if it is about what it takes to load them
 */
export async function openService(t: Cleanup, config: Partial<Config> = {}, given?: Registry) {
  const whole = withStandIns(config);
  const { pluginsDir, plugins, pluginsFrom, tolerateBrokenPlugins } = whole;
  const key = JSON.stringify([pluginsDir, plugins, pluginsFrom, tolerateBrokenPlugins]);
  const composed = await compose(whole, given ?? loaded.get(key));
  const { registry, service, openers, host } = composed;
  if (given === undefined) loaded.set(key, registry);
  t.teardown(async () => {
    await openers.close();
    await host.close();
  });

  const ask = (task: () => Task, body: Uint8Array) =>
    answerOf(async () => {
      const { bytes, reported } = await runTask(service, task(), body);
      return { bytes, metadata: metadataOf(reported) };
    });
  /** Asks for a path such as `/v1/chunk/token`, or for a task. JSON, or bytes or a string as they are. */
  const post = (where: string | Task, body: unknown) =>
    ask(() => (typeof where === 'string' ? taskOf(where) : where), bytesOf(body));
  const chunk = async <T>(name: string, request: object) =>
    jsonOf<T>(await post({ run: 'chunk', name }, request));
  return {
    ...composed,
    post,
    chunk: chunk as Client['chunk'],
    chunkAll: chunk as Client['chunkAll'],
    /** Executes the steps of a pipeline. */
    execute: (steps: readonly GivenStep[], body: unknown) =>
      post({ run: 'execute', steps: steps.map(storedStep) }, body),
    /** Sends a stream, first the line that says what is done, and gives the lines of its answer. */
    stream(task: ChunksTask, first: object, lines: readonly unknown[]) {
      const plan = () => service.readStreamPlan(task, bytesOf(first));
      const given = lines.map(bytesOf);
      return ask(() => linesTask(plan(), given), Buffer.concat(given));
    },
    async send(path: string, init?: RequestInit) {
      const request = new Request(`http://in.process${path}`, { method: 'POST', ...init });
      const { pathname, searchParams } = new URL(request.url);
      const query = Object.fromEntries(
        [...searchParams.keys()].map((key) => [key, searchParams.getAll(key)]),
      );
      const contentType = request.headers.get('content-type') ?? undefined;
      return ask(() => taskOf(pathname, contentType, query), await request.bytes());
    },
  };
}

/** The first lines of a stream. */
export function linesTask(plan: StreamPlan, lines: readonly Uint8Array[], first = 0): Task {
  return { run: 'lines', plan, first, lengths: lines.map(({ length }) => length) };
}

/** Members that a step leaves out, as they are stored. */
export function storedStep(given: GivenStep): PipelineStep {
  return { chunker: null, refinery: null, config: {}, ...given };
}

type StepConfig = Readonly<Record<string, unknown>>;

/** A step of a pipeline that chunks. */
export const chunkStep = (chunker: string | null, config: StepConfig = {}): PipelineStep =>
  storedStep({ type: 'chunk', chunker, config });

/** A step of a pipeline that refines. */
export const refineStep = (refinery: string | null, config: StepConfig = {}): PipelineStep =>
  storedStep({ type: 'refine', refinery, config });

/** What an answer says that is none of an error; throws where it is one. */
export function jsonOf<T>({ status, bytes, json }: Answer): T {
  if (status !== 200) throw new Error(`${status} ${bytes.subarray(0, 1000)}`);
  return json<T>();
}

/** The task of a path, as its route makes it. */
function taskOf(path: string, contentType?: string, query: Fields = {}): Task {
  const [, run, name = '', file] = /^\/v1\/(\w+)(?:\/([^/]+))?(\/file)?$/.exec(path) ?? [];
  if (file !== undefined)
    return { run: 'file', of: taskOf(path.slice(0, -5)) as DocumentsTask, contentType, query };
  if (run === 'chunk' || run === 'refine') return { run, name };
  if (run === 'embed' || run === 'tokenize') return { run };
  if (run === 'evaluate') return { run, pipelines: new Map() };
  throw new Error(`no task is known of ${path}`);
}

function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

type Work = { readonly bytes: Uint8Array; readonly metadata: Readonly<Record<string, string>> };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** What a server would answer, with metadata as its headers. */
async function answerOf(work: () => Promise<Work>): Promise<Answer> {
  const answer = (status: number, headers: Record<string, string>, content: Uint8Array): Answer => {
    const bytes = Buffer.from(content);
    const json = () => JSON.parse(bytes.toString());
    return { status, url: '', headers: new Headers(headers), bytes, json };
  };
  try {
    const { bytes, metadata } = await work();
    const named = Object.entries(metadata).map(([name, value]) => [`x-${name}`, value]);
    return answer(200, { ...JSON_TYPE, ...Object.fromEntries(named) }, bytes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, headers, body } = errorAnswerOf(error);
    return answer(status, headers, Buffer.from(body));
  }
}
