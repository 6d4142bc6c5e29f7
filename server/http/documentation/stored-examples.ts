import type { PipelineStep } from '../../store/contract.ts';
import type { Document, Operation } from './document.ts';
import { type Example, jobExamplesOf } from './job-examples.ts';

/** Example requests and answers about one pipeline, by the id of the operation. */
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
 * Adds examples to the routes that keep pipelines and jobs. They are not run, because that would store them.
 *
 * @param steps of plugins that are here, so that the requests work when they are pasted
 */
export function addStoredExamples(document: Document, steps: readonly PipelineStep[]): void {
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
