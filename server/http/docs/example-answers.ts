import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { needsKey } from '../../../core/hosting/capability.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { metadataOf } from '../../engine/answer/response-metadata.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { Task } from '../../engine/tasks.ts';
import { LINES } from '../transport/media.ts';
import type { Document, Operation } from './document.ts';
import { operationId } from './names.ts';

/** The answer of a route to the example request in its documentation. */
interface ExampleAnswer {
  readonly body: unknown;
  /** What the plugins report about it. */
  readonly metadata: ReturnType<typeof metadataOf>;
}

/**
 * Adds example answers, computed from the example requests, to every route whose requests are work, including the
 * headers that plugins report, and examples to the routes for pipelines and jobs. A failing request gets no example.
 */
export async function addExampleAnswers(
  document: Document,
  registry: Registry,
  runner: Runner,
): Promise<Document> {
  const steps = exampleSteps(registry);
  const tasks = tasksOf(registry, steps);
  addStoredExamples(document, steps);
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      const task = tasks.get(operation.operationId ?? '');
      addStreamRequest(operation);
      if (task !== undefined) await addAnswer(operation, task, runner);
    }
  }
  return document;
}

/** The tasks of the routes that can run here without calling a paid service, by operation id. */
function tasksOf(registry: Registry, steps: readonly PipelineStep[]): Map<string, Task> {
  const tasks = new Map<string, Task>([
    ['embed_texts', { run: 'embed' }],
    ['tokenize_texts', { run: 'tokenize' }],
    ['evaluate_candidates', { run: 'evaluate', pipelines: new Map() }],
    ['execute_pipeline', { run: 'execute', steps }],
  ]);
  for (const [run, kind] of [
    ['chunk', 'chunker'],
    ['refine', 'refinery'],
  ] as const) {
    for (const { manifest, missing } of registry.ofKind(kind)) {
      const { name } = manifest;
      if (missing.length === 0 && !needsKey(manifest)) tasks.set(operationId(run, name), { run, name });
    }
  }
  return tasks;
}

async function addAnswer(operation: Operation, task: Task, runner: Runner): Promise<void> {
  const request = operation.requestBody?.content['application/json'];
  const response = operation.responses['200'];
  if (request?.example === undefined || response === undefined || '$ref' in response) return;
  const answer = await answerExample(runner, task, request.example);
  const media = response.content?.['application/json'];
  if (answer === undefined || media === undefined) return;
  media.examples = { answer: { value: answer.body } };
  addStreamAnswer(operation, answer.body);
  const headers = { ...response.headers };
  for (const [name, example] of Object.entries(answer.metadata)) {
    headers[`x-${name}`] = { ...UNDECLARED, ...headers[`x-${name}`], example };
  }
  response.headers = headers;
}

/** Reports of a plugin that its manifest does not mention. */
const UNDECLARED = {
  description: 'What the plugin reports about the answer; one value per document if they differ.',
  schema: { type: 'string' },
} as const;

/** Milliseconds that the documentation waits for one answer; slower ones are left out. */
const LONGEST_WAIT = 15_000;

/** Runs a task on its example request; `undefined` if that fails or takes too long. */
async function answerExample(
  runner: Runner,
  task: Task,
  example: unknown,
): Promise<ExampleAnswer | undefined> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), LONGEST_WAIT);
  const stopped = new Promise<undefined>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(undefined));
  });
  const run = async () => {
    const { bytes, reported } = await runner.run(task, Buffer.from(JSON.stringify(example)), stop);
    return { body: JSON.parse(Buffer.from(bytes).toString()) as unknown, metadata: metadataOf(reported) };
  };
  try {
    return await Promise.race([run(), stopped]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Example requests and answers about one pipeline, by operation id. */
function examplesOf(steps: readonly PipelineStep[]): Readonly<Record<string, Example>> {
  const named = { name: 'articles', description: 'Short chunks with context' };
  const pipeline = {
    id: '0b7e5a52-6a3c-4c0e-9d3e-1f2a3b4c5d6e',
    ...named,
    config: { steps },
    created_at: '2026-01-02T03:04:05.123456',
    updated_at: '2026-01-02T03:04:05.123456',
  };
  const sent = sentSteps(steps);
  const description = 'Chunks alone';
  const changed = { ...pipeline, description, config: { steps: steps.slice(0, 1) } };
  return {
    create_pipeline: { request: { ...named, steps: sent }, answer: pipeline },
    list_pipelines: { answer: [pipeline] },
    get_pipeline: { answer: pipeline },
    update_pipeline: { request: { description, steps: sent.slice(0, 1) }, answer: changed },
  };
}

/** Steps as a request has them. */
function sentSteps(steps: readonly PipelineStep[]): object[] {
  return steps.map(({ type, chunker, refinery, config }) =>
    type === 'chunk' ? { type, chunker, config } : { type, refinery, config },
  );
}

/**
 * Adds examples to the routes for pipelines and jobs. They are not run, because that would store them.
 *
 * @param steps of available plugins, so that the requests work when pasted
 */
function addStoredExamples(document: Document, steps: readonly PipelineStep[]): void {
  const examples = { ...examplesOf(steps), ...jobExamplesOf(sentSteps(steps)) };
  for (const operations of Object.values(document.paths)) {
    for (const operation of Object.values(operations)) {
      const example = examples[operation.operationId ?? ''];
      if (example !== undefined) addExample(operation, example);
    }
  }
}

function addExample({ requestBody, responses }: Operation, { request, answer }: Example): void {
  const asked = requestBody?.content['application/json'];
  if (asked !== undefined && request !== undefined) asked.example = request;
  const done = responses['201'] ?? responses['202'] ?? responses['200'];
  const answered = done === undefined || '$ref' in done ? undefined : done.content?.['application/json'];
  if (answered !== undefined) answered.examples = { answer: { value: answer } };
}

/** Adds, to a route that accepts streams, its JSON example request as a stream. */
function addStreamRequest({ requestBody }: Operation): void {
  const request = requestBody?.content['application/json']?.example;
  const sent = requestBody?.content[LINES];
  if (sent === undefined || typeof request !== 'object' || request === null) return;
  sent.example = linesOf(streamed(request));
}

/** Adds, to a route that accepts streams, the answer to its example request as a stream. */
function addStreamAnswer({ responses }: Operation, answer: unknown): void {
  const response = responses['200'];
  if (response === undefined || '$ref' in response) return;
  const answered = response.content?.[LINES];
  if (answered === undefined) return;
  answered.example = linesOf(answeredLines(answer));
}

/** The lines of an answer: one for each list of chunks, or for each candidate of an evaluation. */
function answeredLines(answer: unknown): readonly unknown[] {
  const { candidates } = answer as { readonly candidates?: readonly unknown[] };
  if (candidates !== undefined) return candidates;
  const lists = isBatch(answer) ? answer : [answer];
  return lists.map((chunks, index) => ({ index, chunks }));
}

/** The lines of a request: its options, and each of its inputs. */
function streamed(request: object): unknown[] {
  const { text, documents, chunks, ...options } = request as Readonly<Record<string, unknown>>;
  if (chunks !== undefined) return [options, ...(isBatch(chunks) ? chunks : [chunks])];
  if (Array.isArray(documents)) return [options, ...documents];
  // The answer to a request with a text, without the fields that only documents have.
  const plain = 'include' in options ? options : { ...options, include: [] };
  return [plain, ...(Array.isArray(text) ? text : [text]).map((one) => ({ text: one }))];
}

function isBatch(list: unknown): list is readonly unknown[][] {
  return Array.isArray(list) && list.length > 0 && list.every(Array.isArray);
}

function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** Examples of what a route accepts and answers, as shown. */
export interface Example {
  readonly request?: unknown;
  readonly answer: unknown;
}

/** Example requests and answers about one job, by operation id; the request works when pasted. */
function jobExamplesOf(steps: readonly object[]): Readonly<Record<string, Example>> {
  const id = '5b0c2c3e-8a4d-4f5e-9b1a-2c3d4e5f6a7b';
  const counts = {
    shards: { total: 1, done: 1, failed: 0 },
    documents: { done: 2, failed: 0, skipped: 0 },
    skipped_reasons: {},
    chunks: 2,
    embedding_empty: 0,
    pruned: 0,
    unpruned: 0,
    bytes: { read: 116, total: 116 },
  };
  const job = {
    id,
    state: 'done',
    error: null,
    source: { format: 'jsonl' },
    target: { path: `chunksmith-jobs/${id}` },
    group: 'chunk',
    ...counts,
    bytes_per_second: 95,
    seconds_left: null,
    created_at: '2026-01-02T03:04:05.123Z',
    finished_at: '2026-01-02T03:04:06.345Z',
    expires_at: '2026-01-09T03:04:06.345Z',
  };
  const documents = [
    { id: 'tea', text: 'Let black tea steep for three minutes.' },
    { id: 'milk', text: 'Add a little milk, if you like.' },
  ];
  return {
    create_job: { request: { source: { documents }, steps }, answer: planned(job) },
    list_jobs: { answer: [job] },
    get_job: { answer: job },
  };
}

/** The same job, just after creation. */
function planned<T extends object>(job: T): object {
  return {
    ...job,
    state: 'planning',
    shards: { total: 0, done: 0, failed: 0 },
    documents: { done: 0, failed: 0, skipped: 0 },
    chunks: 0,
    bytes: { read: 0, total: 0 },
    bytes_per_second: 0,
    finished_at: null,
  };
}

/** Steps of a pipeline for examples: with a chunker and a refinery that are available and need little. */
export function exampleSteps(registry: Registry): PipelineStep[] {
  const chunker = lightest(registry.ofKind('chunker'));
  const refinery = lightest(registry.ofKind('refinery'));
  const steps: PipelineStep[] = [];
  if (chunker !== undefined) {
    const { text: _, ...config } = chunker.manifest.example ?? {};
    steps.push({ type: 'chunk', chunker: chunker.manifest.name, refinery: null, config });
  }
  if (refinery !== undefined) {
    const { chunks: _, ...config } = refinery.manifest.example ?? {};
    steps.push({ type: 'refine', chunker: null, refinery: refinery.manifest.name, config });
  }
  return steps;
}

function lightest(entries: readonly PluginEntry[]): PluginEntry | undefined {
  const ready = entries.filter(
    ({ missing, manifest }) => missing.length === 0 && manifest.example && !needsKey(manifest),
  );
  const isLight = ({ manifest }: PluginEntry) =>
    manifest.light === true && !manifest.uses?.includes('embedding');
  return ready.find(isLight) ?? ready[0];
}
