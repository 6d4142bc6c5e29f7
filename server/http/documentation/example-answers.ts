import { needsKey } from '../../../core/hosting/capability.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import { type Metadata, metadataOf } from '../../engine/answer/response-metadata.ts';
import type { Runner } from '../../engine/run/runner.ts';
import type { Task } from '../../engine/tasks.ts';
import type { PipelineStep } from '../../store/contract.ts';
import type { Document, Operation } from './document.ts';
import { exampleSteps } from './example-steps.ts';
import { operationId } from './names.ts';
import { addStoredExamples } from './stored-examples.ts';
import { addStreamAnswer, addStreamRequest } from './stream-examples.ts';

/** What a route answers to the example request of its documentation. */
interface ExampleAnswer {
  readonly body: unknown;
  /** What the plugins report of it. */
  readonly metadata: Metadata;
}

/**
 * Adds to every route whose requests are work what it answers to its example request, with the headers that plugins
 * report, and examples to the routes that keep pipelines and jobs. What fails has no example.
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

/** The tasks of the routes that can run here and call no paid service, by the id of their operation. */
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

/** What a plugin reports that its manifest does not mention. */
const UNDECLARED = {
  description: 'What the plugin reports of the answer; if its documents differ, a value for each.',
  schema: { type: 'string' },
} as const;

/** Milliseconds that the documentation waits for one answer; it is shown without those that take longer. */
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
