import type { FastifySchema } from 'fastify';
import type { Registry } from '../../../core/hosting/registry.ts';
import { count, described, errorOfPart, listOf, number, object, text } from '../../engine/answer/schemas.ts';
import { scores } from '../../engine/operations/evaluation/scores.ts';
import type { RequestSchemas } from '../../engine/read/request-schemas.ts';
import { modelHeader, withExample } from '../chunk/schemas.ts';
import { jsonAnswer, lines, orLines } from '../docs/answer-schemas.ts';
import { exampleSteps, sentSteps } from '../docs/example-answers.ts';

/** The documentation of the route that compares candidates. */

const foundChunk = {
  title: 'FoundChunk',
  ...object({
    document: described('The index of its document in the request.', count),
    start_index: count,
    end_index: count,
    token_count: count,
    score: described("The cosine between its vector and the question's.", number),
  }),
};

const evaluatedQuestion = {
  title: 'EvaluatedQuestion',
  ...object({
    ...scores,
    tokens: described('Tokens of the chunks that were found.', count),
    found: described('Nearest first; equally near ones in the order of the text.', listOf(foundChunk)),
  }),
};

const evaluatedCandidate = {
  title: 'EvaluatedCandidate',
  type: 'object',
  description:
    'The means over all questions, scores from 0 to 1, and what each question found; or the `error` of this candidate only.',
  required: ['index', 'name'],
  properties: {
    index: described('The index of the candidate in the request.', count),
    name: described('The name from the request, or the names of its plugins.', text),
    same_as: described('The index of an earlier candidate that does the same.', count),
    ...scores,
    tokens_per_question: described(
      "Mean tokens of the chunks that a question finds, counted by the candidate's tokenizer.",
      number,
    ),
    chunks: described('Number of chunks of the documents.', count),
    questions: described('In the order of the request.', listOf(evaluatedQuestion)),
    error: errorOfPart,
  },
};

const evaluation = {
  title: 'Evaluation',
  ...object({
    embedding_model: described("The model's own name.", text),
    k: count,
    candidates: described('In the order of the request.', listOf(evaluatedCandidate)),
  }),
};

const evaluationLines = {
  title: 'EvaluationLines',
  ...lines,
  contentSchema: evaluatedCandidate,
  description: 'An `EvaluatedCandidate` for each candidate, sent as soon as it is ready.',
};

const DESCRIPTION = `Chunks the documents in several ways, embeds chunks and questions, and answers how much of each
question's answers is in the \`k\` chunks that are nearest to it. Recall, precision, intersection over union (\`iou\`) and
precision at full recall are those of Chroma's report on chunking, over characters. Equal candidates are computed
once. A failing candidate has an \`error\`. With \`Accept: application/x-ndjson\` each is answered with a line.`;

/** The route that compares candidates. */
export function evaluateRouteSchema(registry: Registry, { evaluate }: RequestSchemas): FastifySchema {
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

/** A request that compares a chunker with a pipeline of available plugins; empty if there is no chunker. */
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
