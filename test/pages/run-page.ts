import { execFile, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { PYTHON } from '../servers/python.ts';

/** Pages of Markdown that are followed from top to bottom, as a reader would. */

const ROOT = join(import.meta.dirname, '../..');
const MARK = '-- the next command --';
const END = '-- the end of the file --';
/** A file that a page shows, after a line that names it; or a block of commands with what they print. */
const STEP =
  /^.*`([\w./-]+\.\w+)`[^`\n]*:\n\n```(?!console|sh)\w+\n([\s\S]*?)^```$|^```console\n([\s\S]*?)^```$/gm;
/** What differs from run to run: times. */
const VARIES = /in [\d.]+ s \([\d.]+ MB\/s\)/g;

/** A command with its continued lines, and what the page says that it prints. */
const COMMAND = /^\$ ((?:.*\\\n)*.*)\n([\s\S]*?)(?=^\$ |$(?![\s\S]))/gm;

interface PageOptions {
  /** The working directory of the commands. */
  readonly cwd: string;
  /** The service, instead of the one that pages speak to. */
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of Python packages. */
  readonly packages?: readonly string[];
  /** What pages call by name, besides `npm` and `python3`: a word of a shell for each argument. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
}

/** What pages call by name. */
const COMMANDS = {
  npm: ['npm', '--prefix', ROOT],
  python3: [PYTHON],
};

/**
 * Follows a page: writes the files that it shows, runs the commands of its blocks `console`, and tests that they print
 * what it says. Blocks `sh` are the reader's own preparations, which the test has made already.
 */
export async function followPage(t: Test, text: string, options: PageOptions): Promise<void> {
  const steps: { readonly command: string; readonly shown: string }[] = [];
  for (const [, name, content = '', block = ''] of text.matchAll(STEP)) {
    if (name !== undefined)
      steps.push({ command: `cat > '${name}' <<'${END}'\n${content}${END}`, shown: '' });
    for (const [, command = '', shown = ''] of block.matchAll(COMMAND)) steps.push({ command, shown });
  }
  const lines = steps.map(({ command }) => `${at(command, options)}\necho '${MARK}'\n`);
  const functions = Object.entries({ ...COMMANDS, ...options.commands }).map(
    ([name, words]) => `${name}() { command ${words.map((word) => `'${word}'`).join(' ')} "$@"; }`,
  );
  const printed = await sh([...functions, ...lines].join('\n'), options);
  const answers = printed.split(`${MARK}\n`);
  for (const [place, { command, shown }] of steps.entries())
    t.equal((answers[place] ?? '').replace(VARIES, ''), shown.replace(VARIES, ''), command);
}

function at(text: string, { url = '' }: PageOptions): string {
  return url === '' ? text : text.replaceAll(/(?:http:\/\/)?localhost:8000/g, url);
}

/** The programs of the system, such as its Node, and not those of the packages here. */
export const SYSTEM_PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !/node_modules|node-gyp-bin/.test(folder))
  .join(delimiter);

/** Runs a script of a shell, with the programs of the system; gives all that it prints. */
export async function sh(script: string, { cwd, env, packages = [] }: PageOptions): Promise<string> {
  const { HOME = '' } = process.env;
  const python = { PYTHONPATH: packages.join(':'), PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `exec 2>&1\n${script}`], {
    cwd,
    env: { PATH: SYSTEM_PATH, HOME, ...python, ...env },
  });
  return stdout;
}

/** Why a page cannot be followed: the first of these commands that is not here, or false. */
export function without(...commands: string[]): string | false {
  const missing = commands.find((command) => spawnSync(command, ['--version']).status !== 0);
  return missing !== undefined && `there is no ${missing}`;
}
