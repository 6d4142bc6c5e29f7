import type { Kind } from '../../../core/contracts/manifest.ts';
import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { needsKey } from '../../../core/hosting/plugin-error.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { unlessAborted } from '../../engine/abort.ts';
import { metadataOf } from '../../engine/answer/response-metadata.ts';
import { requirePreset } from '../../engine/presets/presets.ts';
import type { RunAnswer } from '../../engine/run/executor.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { Task } from '../../engine/tasks.ts';
import { isBatch, linesOf } from '../chunk/stream-schemas.ts';
import { LINES } from '../transport/media.ts';
import {
  type Document,
  type Header,
  type Operation,
  operationId,
  operationsOf,
  type Reference,
  type Response,
} from './document.ts';

/**
 * Runs the example request of every route that does work, and adds the answer and its headers as an example.
 * A route whose request fails gets no example answer.
 */
export async function addExampleAnswers(
  document: Document,
  registry: Registry,
  runner: Runner,
): Promise<Document> {
  const tasks = tasksOf(registry);
  for (const operation of operationsOf(document)) {
    const task = tasks.get(operation.operationId ?? '');
    if (task !== undefined) await addAnswer(operation, task, runner, document.components.headers ?? {});
  }
  return document;
}

/** The tasks of routes by operation id. Leaves out routes that cannot run here or need a paid service. */
function tasksOf(registry: Registry): Map<string, Task> {
  const readyOf = (kind: Kind) => registry.ofKind(kind).filter(isReady);
  return new Map<string, Task>([
    ['embed_texts', { run: 'embed' }],
    ['tokenize_texts', { run: 'tokenize' }],
    ['evaluate_candidates', { run: 'evaluate', pipelines: new Map() }],
    ['execute_preset', { run: 'execute', steps: requirePreset('docs').steps, preset: 'docs' }],
    ['execute_pipeline', { run: 'execute', steps: exampleSteps(registry) }],
    ...readyOf('chunker').map(
      ({ manifest: { name } }) => [operationId('chunk', name), { run: 'chunk', name }] as const,
    ),
    ...readyOf('refinery').map(
      ({ manifest: { name } }) => [operationId('refine', name), { run: 'refine', name }] as const,
    ),
  ]);
}

function isReady({ manifest, missing }: PluginEntry): boolean {
  return missing.length === 0 && !needsKey(manifest);
}

async function addAnswer(
  { requestBody, responses }: Operation,
  task: Task,
  runner: Runner,
  shared: Readonly<Record<string, Header>>,
): Promise<void> {
  const example = requestBody?.content['application/json']?.example;
  const response = responses['200'] as Response;
  const answer = example === undefined ? undefined : await answerExample(runner, task, example);
  if (answer === undefined) return;
  const body: unknown = JSON.parse(Buffer.from(answer.bytes).toString());
  const { 'application/json': whole, [LINES]: lines } = response.content ?? {};
  if (whole !== undefined) whole.examples = { answer: { value: body } };
  if (lines !== undefined) lines.example = linesOf(answeredLines(body));
  const headers = { ...response.headers };
  for (const [name, example] of Object.entries(metadataOf(answer.reported))) {
    headers[`x-${name}`] = { ...UNDECLARED, ...headerOf(headers[`x-${name}`], shared), example };
  }
  response.headers = headers;
}

function headerOf(
  header: Header | Reference | undefined,
  shared: Readonly<Record<string, Header>>,
): Header | undefined {
  if (header === undefined || !('$ref' in header)) return header;
  return shared[header.$ref.slice(header.$ref.lastIndexOf('/') + 1)];
}

const UNDECLARED = {
  description: 'What the plugin reports about the answer; one value per document if they differ.',
  schema: { type: 'string' },
} as const;

/** Maximum milliseconds to compute one example answer. */
const MAX_WAIT = 15_000;

/** Runs a task on its example request; `undefined` if that fails or takes too long. */
async function answerExample(runner: Runner, task: Task, example: unknown): Promise<RunAnswer | undefined> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), MAX_WAIT);
  try {
    return await unlessAborted(runner.run(task, Buffer.from(JSON.stringify(example)), stop), stop.signal);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The lines that stream an answer: one per list of chunks, or one per candidate and one for the verdict. */
function answeredLines(answer: unknown): readonly unknown[] {
  const { candidates, verdict } = answer as { candidates?: readonly unknown[]; verdict?: unknown };
  if (candidates !== undefined) return [...candidates, { verdict }];
  const lists = isBatch(answer) ? answer : [answer];
  return lists.map((chunks, index) => ({ index, chunks }));
}

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
  const ready = entries.filter((entry) => isReady(entry) && entry.manifest.example !== undefined);
  const isLight = ({ manifest }: PluginEntry) =>
    manifest.light === true && !manifest.uses?.includes('embedding');
  return ready.find(isLight) ?? ready[0];
}

export function sentSteps(steps: readonly PipelineStep[]): object[] {
  return steps.map(({ type, chunker, refinery, config }) =>
    type === 'chunk' ? { type, chunker, config } : { type, refinery, config },
  );
}
