import { printTable, printTitle } from '../bench/race/report.ts';
import type { Evaluation } from '../support/evaluation.ts';
import { answerTo, composeQuietly } from '../support/service.ts';
import paraphrases from './data/paraphrases.json' with { type: 'json' };
import topics from './data/topics.json' with { type: 'json' };
import { evaluateSegmentation } from './segmentation.ts';
import { type Embed, evaluatePairs, evaluateRetrieval, type Recall } from './similarity.ts';

/** What the built-in models are worth, each figure beside a baseline. */

const { service } = await composeQuietly();
const pairs = paraphrases.map(([one = '', other = '']) => [one, other] as const);
const paragraphs = topics.flatMap(({ paragraphs }) => paragraphs);
const MODELS = ['vendor/potion-base-8M', 'vendor/potion-retrieval-32M'];

printTitle('Semantic chunking: 200 documents of 6 topics, 3 to 10 sentences each');
const segmentation = await evaluateSegmentation(topics, async (name, request) => {
  const units = { ...request, offset_unit: 'utf16' };
  const chunks = await answerTo<{ end_index: number }[]>(service, { run: 'chunk', name }, units);
  return chunks.map(({ end_index }) => end_index);
});
printTable(
  'Boundaries (F1: higher is better, Pk: lower is better)',
  ['', 'F1', 'Pk', 'found per true one'],
  segmentation.map(({ name, f1, pk, ratio }) => [name, ...[f1, pk, ratio].map(figure)]),
);

printTitle(
  `Similarity: ${pairs.length} pairs of paraphrases, and each sentence with the others' paraphrases`,
);
const alike = await Promise.all(
  MODELS.map(async (model) => [model, await evaluatePairs(pairs, embedBy(model))] as const),
);
printTable(
  'Cosines',
  ['', 'paraphrases', 'unrelated', 'paraphrase is the nearest'],
  [
    ...alike.map(([model, { paraphrases, unrelated, first }]) => [
      model,
      ...[paraphrases, unrelated, first].map(figure),
    ]),
    ['at random', '', '', figure(1 / pairs.length)],
  ],
);

printTitle(`Retrieval: ${paragraphs.length} questions, each answered by one of as many paragraphs`);
const found = await Promise.all(
  MODELS.map(async (model) => [model, await evaluateRetrieval(paragraphs, recallBy(model))] as const),
);
printTable(
  'Recall',
  ['', '@1', '@5'],
  found
    .map(([name, { at1, at5 }]) => [name, figure(at1), figure(at5)])
    .concat([['at random', figure(1 / paragraphs.length), figure(5 / paragraphs.length)]]),
);

/** Vectors as the refinery answers them. */
function embedBy(embedding_model: string): Embed {
  return async (texts) => {
    const chunks = texts.map((text) => ({ text, start_index: 0, end_index: 0, token_count: 0 }));
    const task = { run: 'refine', name: 'embeddings' } as const;
    const refined = await answerTo<{ embedding: number[] }[]>(service, task, { chunks, embedding_model });
    return refined.map(({ embedding }) => Float32Array.from(embedding));
  };
}

/** Recall as evaluations answer it. */
function recallBy(embedding_model: string): Recall {
  return async (request) => {
    const task = { run: 'evaluate', pipelines: new Map() } as const;
    const { candidates } = await answerTo<Evaluation>(service, task, { ...request, embedding_model });
    return candidates[0]?.recall ?? Number.NaN;
  };
}

function figure(value: number): string {
  return value.toFixed(3);
}
