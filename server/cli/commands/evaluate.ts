import type { Command } from 'commander';
import type { Environment } from '../../config/config.ts';
import { apiOf, print, type RemoteFlags, readJson, remoteCommand, table } from './remote.ts';

interface Evaluation {
  readonly candidates: readonly Candidate[];
  readonly verdict: { readonly summary: string } | null;
}

/** One that failed has an error instead of figures. */
interface Candidate {
  readonly name: string;
  readonly retriever: string;
  readonly recall?: number;
  readonly interval?: { readonly recall: readonly number[] };
  readonly tokens_per_question?: number;
  readonly chunks?: number;
  readonly error?: { readonly detail: string };
}

/** `chunksmith evaluate request.json` */
export function evaluateCommand(env: Environment): Command {
  const description = 'Compare chunkers and pipelines by the chunks that your questions find';
  return remoteCommand('evaluate', description, env)
    .argument('<file>', 'the body of POST /v1/evaluate; - reads standard input')
    .action(async (file: string, flags: RemoteFlags) => {
      const call = { path: '/v1/evaluate', json: readJson(file) };
      print(flags, await apiOf(flags, env).json<Evaluation>(call), inWords);
    });
}

const COLUMNS = ['candidate', 'retriever', 'recall', '95 %', 'tokens', 'chunks'];

/** A row for each candidate, why others failed, and the verdict. */
function inWords({ candidates, verdict }: Evaluation): string {
  const rows = candidates.map(({ name, retriever, recall, interval, tokens_per_question, chunks }) => {
    if (recall === undefined) return [name, retriever, 'failed'];
    const range = interval?.recall.map((edge) => edge.toFixed(3)).join(' to ') ?? '';
    return [name, retriever, recall.toFixed(3), range, (tokens_per_question ?? 0).toFixed(1), String(chunks)];
  });
  const failures = candidates.flatMap(({ name, error }) => (error ? [`${name}: ${error.detail}`] : []));
  return [table([COLUMNS, ...rows]), ...failures, ...(verdict ? [verdict.summary] : [])].join('\n');
}
