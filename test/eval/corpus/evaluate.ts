import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Registry } from '../../../core/hosting/registry.ts';
import { printTable, printTitle } from '../../bench/race/report.ts';
import type { EvaluatedCandidate, Evaluation } from '../../support/evaluation.ts';
import { answerTo, composeQuietly } from '../../support/service.ts';
import { CorpusError, readCorpus } from './read-corpus.ts';

const USAGE =
  'npm run eval -- corpus FOLDER [--candidates FILE.json] [--k 5] [--model NAME] [--embed context+text]';

const of = (chunker: string, chunk_size: number, more: object = {}) => ({
  name: `${chunker} ${[chunk_size, ...Object.values(more)].join(' ')}`,
  chunker,
  config: { tokenizer: 'cl100k_base', chunk_size, ...more },
});

class UsageError extends CorpusError {}

/** What is compared if nothing else is asked for. */
const CANDIDATES = [
  of('token', 256),
  of('token', 256, { chunk_overlap: 64 }),
  of('sentence', 256),
  of('recursive', 128),
  of('recursive', 256),
  of('recursive', 512),
  of('auto', 256),
  { name: 'semantic', chunker: 'semantic' },
];

/**
 * Prints how well candidates answer the questions of a folder, as POST /v1/evaluate scores them.
 *
 * @param args the folder, and flags
 */
export async function evaluateCorpus(args: readonly string[]): Promise<void> {
  try {
    await printCorpus(args);
  } catch (error) {
    // What is wrong with the arguments, the folder or the candidates; of anything else the stack is of use.
    const { name, code } = error as { readonly name?: string; readonly code?: unknown };
    const isOfUser = error instanceof CorpusError || name === 'ServiceError' || typeof code === 'string';
    if (!isOfUser) throw error;
    console.error((error as Error).message);
    const isUsage = error instanceof UsageError || String(code).startsWith('ERR_PARSE_ARGS');
    if (isUsage) console.error(`Usage: ${USAGE}`);
    process.exitCode = 2;
  }
}

async function printCorpus(args: readonly string[]): Promise<void> {
  const { folder, candidates, ...options } = readArguments(args);
  const { service, registry, host } = await composeQuietly({
    maxEvaluationCharacters: Number.MAX_SAFE_INTEGER,
  });
  const corpus = await readCorpus(folder, { registry, host });
  const compared = candidates ?? presentOf(registry);
  const request = { ...corpus, candidates: compared, ...options };
  const answer = await answerTo<Evaluation>(service, { run: 'evaluate', pipelines: new Map() }, request);
  const { embedding_model, k } = answer;
  const { documents, questions } = corpus;
  printTitle(`${questions.length} questions about ${documents.length} files, ${k} chunks each`);
  const rows = answer.candidates.filter(({ error }) => error === undefined).map(rowOf);
  printTable(embedding_model ?? '', COLUMNS, rows);
  for (const { name, error } of answer.candidates) {
    if (error !== undefined) console.log(`  ${name}: ${error.detail}`);
  }
}

const SCORES = ['recall', 'precision', 'IoU', 'precision at full recall'];
const COLUMNS = ['', ...SCORES, 'tokens per question', 'chunks'];

function rowOf(candidate: EvaluatedCandidate): string[] {
  const { name, recall, precision, iou, precision_at_full_recall } = candidate;
  const shares = [recall, precision, iou, precision_at_full_recall].map((one) => one.toFixed(3));
  return [name, ...shares, candidate.tokens_per_question.toFixed(1), String(candidate.chunks)];
}

function presentOf(registry: Registry): object[] {
  return CANDIDATES.filter(({ chunker }) => registry.find('chunker', chunker)?.missing.length === 0);
}

function readArguments(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { candidates: text, k: text, model: text, embed: text };
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new UsageError('One folder is expected.');
  const { candidates, k, model, embed } = values;
  return {
    folder,
    candidates: candidates === undefined ? undefined : readCandidates(candidates),
    k: k === undefined ? undefined : Number(k),
    embedding_model: model,
    embed,
  };
}

/** The candidates of a file, as requests have them. */
function readCandidates(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CorpusError(`${file}: ${(error as Error).message}`);
  }
}
