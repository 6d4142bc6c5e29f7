import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { reasonOf } from '../../../core/errors.ts';
import type { Environment } from '../../config/config.ts';
import { Api } from '../api.ts';
import { UsageError } from '../errors.ts';

export interface PrintFlags {
  readonly json?: true;
}

export interface RemoteFlags extends PrintFlags {
  readonly server: string;
}

const SERVER = 'http://localhost:8000';

/** A command that calls a running service. @param name the name and arguments, in commander's syntax */
export function remoteCommand(name: string, description: string, env: Environment): Command {
  return new Command(name)
    .description(description)
    .option(
      '--server <url>',
      'URL of the service; its key is taken from the variable CHUNKSMITH_KEY',
      env.CHUNKSMITH_SERVER ?? SERVER,
    )
    .option('--json', 'print the answer as JSON');
}

export function apiOf({ server }: RemoteFlags, env: Environment): Api {
  return new Api(server, env.CHUNKSMITH_KEY);
}

export function print<T>({ json }: PrintFlags, answer: T, inWords: (answer: T) => string): void {
  console.log(json === true ? JSON.stringify(answer, undefined, 2) : inWords(answer));
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Reads the JSON of a file; `-` reads standard input. @throws UsageError */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path === '-' ? 0 : path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path}: the file cannot be read as JSON: ${reasonOf(error)}`);
  }
}
