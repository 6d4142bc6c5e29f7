import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Registry } from '../../../core/hosting/registry.ts';
import { count, described, errorOfPart, listOf, number, object, text } from '../../engine/answer/schemas.ts';
import { RETRIEVERS } from '../../engine/operations/evaluation/schemas.ts';
import { INTERVALS, scores } from '../../engine/operations/evaluation/scores.ts';
import { errorLine } from '../../engine/operations/lines.ts';
import type { RequestSchemas } from '../../engine/read/request-schemas.ts';
import type { RunAnswer } from '../../engine/run/executor.ts';
import type { OnPart } from '../../engine/tasks.ts';
import { modelHeader, withExample } from '../chunk/schemas.ts';
import { jsonAnswer, lines, orLines } from '../docs/answer-schemas.ts';
import { exampleSteps, sentSteps } from '../docs/example-answers.ts';
import { answerWork, noteWork, stopWhenGone } from '../transport/answer-work.ts';
import { bodyOf } from '../transport/bodies.ts';
import { asServiceError, reportFailure } from '../transport/error-handler.ts';
import { LINES, wantsLines } from '../transport/media.ts';
import type { Services } from '../transport/services.ts';
import { evaluateNamed } from './named-pipelines.ts';

export async function evaluateRoute(app: FastifyInstance): Promise<void> {
  const { chunksmith: services } = app;
  const schema = evaluateRouteSchema(services.registry, services.requestSchemas);
  const run = evaluateNamed(services);
  app.post('/v1/evaluate', { schema }, (request, reply) =>
    (wantsLines(request) ? answerInParts : answerWork)(request, reply, 'evaluate', services, run),
  );
}

/**
 * Sends a line for each candidate as soon as its result is ready. If the request fails after the first line, a
 * last line has the error.
 *
 * @throws ServiceError if the whole request fails before the first line is sent
 */
async function answerInParts(
  request: FastifyRequest,
  reply: FastifyReply,
  label: string,
  { metrics }: Services,
  run: (body: Buffer, stop: AbortController, onPart: OnPart) => Promise<RunAnswer>,
): Promise<FastifyReply> {
  const body = bodyOf(request);
  const { length } = body;
  const stream = new Readable({ read() {} });
  const started = Promise.withResolvers<void>();
  let sent = 0;
  let isOver = false;
  const end = () => {
    isOver = true;
    stream.push(null);
  };
  const send = (line: Uint8Array) => {
    // Drops late parts: work that ignores its signal may continue after the timeout.
    if (isOver) return;
    sent++;
    stream.push(line);
    started.resolve();
  };
  const fail = (error: unknown) => {
    started.reject(error);
    if (sent === 0 || reply.raw.destroyed) return;
    reportFailure(error, request, metrics);
    send(errorLine({ index: sent }, asServiceError(error, request)));
    end();
  };
  run(body, stopWhenGone(reply), send).then((done) => {
    noteWork(request, label, length, done, metrics);
    end();
  }, fail);
  await started.promise;
  metrics.streamed(label);
  return reply.type(`${LINES}; charset=utf-8`).send(stream);
}

const foundChunk = {
  title: 'FoundChunk',
  ...object({
    document: described('The index of its document in the request.', count),
    start_index: count,
    end_index: count,
    token_count: count,
    score: described(
      "The cosine between its vector and the question's, its BM25, or the sum of its reciprocal ranks.",
      number,
    ),
  }),
};

const evaluatedQuestion = {
  title: 'EvaluatedQuestion',
  ...object({
    ...scores,
    tokens: described('Tokens of the chunks that were found.', count),
    found: described('Best first; equally good ones in the order of the text.', listOf(foundChunk)),
  }),
};

const interval = { type: 'array', items: number, minItems: 2, maxItems: 2 } as const;
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

const evaluatedCandidate = {
  title: 'EvaluatedCandidate',
  type: 'object',
  description:
    'The means over all questions, scores from 0 to 1, and what each question found; or the `error` of this candidate only.',
  required: ['index', 'name'],
  properties: {
    index: described('The index of the candidate in the request.', count),
    name: described(
      'The name from the request, else those of its plugins, with the settings that tell it from others of that name.',
      text,
    ),
    same_as: described('The index of an earlier candidate that does the same.', count),
    retriever: described('What found the chunks.', { enum: RETRIEVERS }),
    ...scores,
    tokens_per_question: described(
      "Mean tokens of the chunks that a question finds, counted by `tokenizer` or else the candidate's own.",
      number,
    ),
    chunks: described('Number of chunks of the documents.', count),
    interval: described(
      'The 95 % intervals of three of the means.',
      object(Object.fromEntries(INTERVALS.map((name) => [name, interval]))),
    ),
    questions: described('In the order of the request.', listOf(evaluatedQuestion)),
    error: errorOfPart,
  },
};

const difference = {
  title: 'EvaluatedDifference',
  ...object({
    candidate: count,
    difference: described('Its recall less that of the best candidate.', number),
    interval: described('The 95 % interval of the difference.', interval),
    decided: described('Whether the interval excludes 0, and at least six questions differ.', {
      type: 'boolean',
    }),
  }),
};

const verdict = {
  title: 'EvaluationVerdict',
  ...object({
    score: described('The score that is compared.', { const: 'recall' }),
    questions: count,
    best: described('The candidate with the highest recall.', count),
    winner: described('The same, if it is better than each other candidate beyond doubt.', orNull(count)),
    more_questions: described(
      'How many more questions would decide it; null if it is decided, or no realistic number would.',
      orNull(count),
    ),
    differences: described('All others compared with the best one.', listOf(difference)),
    summary: described('The same in words.', text),
  }),
};

const verdictOrNone = described(
  'What the recall of the candidates says, without those that failed or do the same as others; null if all failed.',
  orNull(verdict),
);

const evaluation = {
  title: 'Evaluation',
  type: 'object',
  required: ['embedding_model', 'candidates', 'verdict'],
  properties: {
    embedding_model: described("The model's own name; null if only words were searched.", orNull(text)),
    k: described('Missing if there was a `budget`.', count),
    budget: described('The tokens of the request.', count),
    tokenizer: described('What tokens were counted with, if not the tokenizer of each candidate.', text),
    candidates: described('In the order of the request.', listOf(evaluatedCandidate)),
    verdict: verdictOrNone,
  },
};

const evaluationLines = {
  title: 'EvaluationLines',
  ...lines,
  contentSchema: {
    anyOf: [evaluatedCandidate, { title: 'EvaluationVerdictLine', ...object({ verdict: verdictOrNone }) }],
  },
  description:
    'An `EvaluatedCandidate` for each candidate, sent as soon as it is ready, and at last a line with the `verdict`.',
};

const DESCRIPTION = `Chunks the documents in several ways, searches the chunks for each question by vectors, words or both, and
answers how much of its answers is in the \`k\` best chunks, or in as many as fit a \`budget\` of tokens. Recall, precision,
intersection over union (\`iou\`) and precision at full recall are those of Chroma's report on chunking, over characters.
The \`verdict\` says whether chance would explain the differences. Equal candidates are computed once. A failing
candidate has an \`error\`. With \`Accept: application/x-ndjson\` each is answered with a line, and so is the verdict.`;

function evaluateRouteSchema(registry: Registry, { evaluate }: RequestSchemas): FastifySchema {
  const answer = jsonAnswer('What questions find with each candidate.', evaluation, modelHeader);
  return {
    tags: ['evaluate'],
    operationId: 'evaluate_candidates',
    summary: 'Evaluate candidates',
    description: DESCRIPTION,
    body: withExample('EvaluateRequest', evaluate, exampleOf(registry)),
    response: { 200: orLines(answer, evaluationLines) },
  };
}

const TEXT = 'Boil fresh water. Let black tea steep for three minutes. Green tea needs cooler water.';
const ANSWER = 'Let black tea steep for three minutes.';

/** An example request that compares a chunker with a pipeline; empty if no chunker is available. */
function exampleOf(registry: Registry): object {
  const steps = exampleSteps(registry);
  const [first] = steps;
  if (first?.type !== 'chunk') return {};
  const start_index = TEXT.indexOf(ANSWER);
  const answers = [{ document: 'tea', start_index, end_index: start_index + ANSWER.length }];
  return {
    documents: [{ id: 'tea', text: TEXT }],
    questions: [{ question: 'How long does black tea steep?', answers }],
    candidates: [{ chunker: first.chunker, config: first.config }, { steps: sentSteps(steps) }],
    k: 1,
  };
}
