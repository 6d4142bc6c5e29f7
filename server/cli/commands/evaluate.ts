import type { Command } from 'commander';
import type { Environment } from '../../config/config.ts';
import { apiOf, print, type RemoteFlags, readJson, remoteCommand, table } from './remote.ts';

interface Evaluation {
  readonly candidates: readonly Readonly<Record<string, unknown>>[];
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

/** A row for each candidate, with all its numbers. */
function inWords({ candidates }: Evaluation): string {
  const isNumber = (value: unknown) => typeof value === 'number';
  const names = [
    ...new Set(candidates.flatMap((one) => Object.keys(one).filter((name) => isNumber(one[name])))),
  ];
  const cell = (value: unknown) =>
    isNumber(value) ? String(Math.round((value as number) * 1000) / 1000) : '';
  const rows = candidates.map((one, index) => [
    String(one.name ?? index + 1),
    ...names.map((name) => cell(one[name])),
  ]);
  return table([['candidate', ...names], ...rows]);
}
