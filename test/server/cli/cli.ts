import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { STAND_INS } from '../../support/here.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { type Cleanup, temporaryFolder } from '../../support/server.ts';

/** A command that has ended. */
export interface CliResult {
  /** Null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of standard output as JSON; throws where one is none. */
  lines<T = CliChunk>(): T[];
  /** The texts of those lines. */
  texts(): string[];
  /** The last line of standard error as JSON: the summary of `--progress json`. */
  summary(): Readonly<Record<string, unknown>>;
}

/** What tests read of a chunk. */
export interface CliChunk {
  readonly id: string;
  readonly text: string;
  readonly document_id: string | null;
  readonly metadata: unknown;
}

/** Folders of plugins, with those of the plugins that shared tests name. */
export function pluginFolders(env: Readonly<Record<string, string>>): readonly string[] {
  return [...STAND_INS, ...(env.PLUGINS_DIR?.split(',') ?? [])];
}

export function resultOf(status: number | null, stdout: string, stderr: string): CliResult {
  return {
    status,
    stdout,
    stderr,
    lines: () => linesIn(stdout),
    texts: () => linesIn<CliChunk>(stdout).map(({ text }) => text),
    summary: () => JSON.parse(stderr.trim().split('\n').at(-1) ?? ''),
  };
}

/** Lines of JSON, of which the last one ends, too. */
export function linesIn<T>(text: string): T[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

/** A line of a document. */
export const lineOf = (text: string, id = text): string => `${JSON.stringify({ id, text })}\n`;

/** Options of a chunker that is always there, whose chunks are so many characters. */
export const BY_CHARACTERS = (size: number): readonly string[] =>
  `--chunker token --tokenizer character --chunk-size ${size}`.split(' ');

/** The files of a chunker `gated`, which works on a text with `wait` in it only once there is a file `go`; `deaf` heeds no signal. */
function gated(folder: string): Record<string, string> {
  const go = JSON.stringify(join(folder, 'go'));
  const index = `import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default () => ({
  async chunk(text, options, { signal }) {
    if (text.includes('fail')) throw Object.assign(new Error('as it was asked to'), { expose: true });
    const heeded = text.includes('deaf') ? undefined : signal;
    while (text.includes('wait') && !existsSync(${go})) await sleep(20, undefined, { signal: heeded });
    return [{ start: 0, end: text.length }];
  },
});`;
  return plugin({ kind: 'chunker', name: 'gated' }, index);
}

/** A folder with files, the chunker `gated`, whose gate is in it, and what opens the gate. */
export async function gatedFolder(t: Cleanup, files: Readonly<Record<string, string>> = {}) {
  const cwd = await temporaryFolder(t, files);
  const env = { PLUGINS_DIR: await pluginsFolder(t, gated(cwd)), WORKERS: '1' };
  return { cwd, options: { cwd, env }, open: () => writeFile(join(cwd, 'go'), '') };
}

/** What a run leaves in its folder: the hashes of its files, but for that with the id of its job. */
export async function contentOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== '.chunksmith' && name !== 'job.json');
  const hashes = names.sort().map(async (name) => {
    const bytes = await readFile(join(folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}
