import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { glob } from 'tinyglobby';
import { CATALOGUE } from '../../../core/errors.ts';
import { inOwnTerms } from '../../../server/cli/own-terms.ts';
import { flagName, variableName } from '../../../server/config/option.ts';
import { OPTION_ENTRIES } from '../../../server/config/options.ts';
import { CHUNK_FLAGS } from '../../../server/corpora/command/flags.ts';
import { temporaryFolder } from '../../support/server.ts';
import { runHere } from './command.ts';

/** A remedy names what the interface of its reader has: flags and routes of a service, or variables and flags of a command. */

const ROOT = join(import.meta.dirname, '../../..');
const SERVER_FLAGS = new Set(OPTION_ENTRIES.map(([name]) => flagName(name)));
const OWN_FLAGS = new Set([
  ...CHUNK_FLAGS.flatMap(({ long }) => long ?? []),
  '--set',
  '--without',
  '--check',
]);

/** Errors of routes, and of the start of a service: no work of a command has them. */
const OF_SERVICE = [
  ...[
    'unauthorized',
    'job_not_found',
    'too_many_requests',
    'too_many_wrong_keys',
    'jobs_off',
    'shutting_down',
  ],
  ...['overloaded', 'store_stuck', 'unsupported_media_type', 'missing_plugin_package', 'pipeline_name_taken'],
] as const;

/** What a command line has not. */
const FOREIGN =
  /\b(GET|POST|PUT|DELETE) \/|the operator|start the server|the server's log|[Tt]he request\b|per request/;

const flagsIn = (message: string) => message.match(/--[a-z][a-z-]+/g) ?? [];

/** The sentences of the code that both interfaces run: literals with a flag, or with what only one interface has. */
async function remediesInCode(): Promise<string[]> {
  const files = await glob(
    ['core/**/*.ts', 'plugins/**/*.ts', 'server/engine/**/*.ts', 'server/corpora/formats/**/*.ts'],
    {
      cwd: ROOT,
      ignore: ['**/models/**', 'core/errors.ts'],
    },
  );
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')));
  const lines = texts
    .join('\n')
    .split('\n')
    .filter((line) => !/^\s*(\*|\/\*|\/\/)|start_index/.test(line));
  const literals = lines.flatMap((line) => line.match(/'[^']{12,}'|`[^`]{12,}`|"[^"]{12,}"/g) ?? []);
  return literals.filter(
    (one) => flagsIn(one).some((flag) => SERVER_FLAGS.has(flag)) || /the operator|start the server/.test(one),
  );
}

t.test('on the command line no remedy names a flag, a route or an operator of a service', async (t) => {
  const codes = Object.entries(CATALOGUE).filter(
    ([code]) => !(OF_SERVICE as readonly string[]).includes(code),
  );
  const inCode = await remediesInCode();
  t.ok(inCode.length >= 5, `${inCode.length} remedies in code`);
  for (const message of [...codes.map(([, [, text]]) => text), ...inCode]) {
    const own = inOwnTerms(message);
    t.same(
      flagsIn(own).filter((flag) => SERVER_FLAGS.has(flag) && !OWN_FLAGS.has(flag)),
      [],
      own,
    );
    t.notMatch(own, FOREIGN, own);
  }
});

t.test('a service names its own flags, and none of a command', async (t) => {
  for (const message of [...Object.values(CATALOGUE).map(([, text]) => text), ...(await remediesInCode())]) {
    const foreign = flagsIn(message).filter((flag) => !SERVER_FLAGS.has(flag));
    t.same(foreign, [], message);
  }
});

t.test('every option of a server that a command reads is named by its variable', async (t) => {
  for (const [name, { type }] of OPTION_ENTRIES) {
    const [flag, variable] = [flagName(name), variableName(name)];
    if (flag === '--workers') continue;
    t.equal(inOwnTerms(`raise ${flag}.`), `raise ${variable}${type === 'boolean' ? '=true' : ''}.`);
  }
});

t.test('a command that fails says which variable to set', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'some words', 'b.csv': 'id,body\n1,a' });
  const chunk = (args: string, env: Record<string, string> = {}) =>
    runHere(t, ['chunk', ...args.split(' ')], { cwd, env });
  const long = await chunk('a.txt --chunker token', { MAX_CHARACTERS: '3' });
  t.match(long, { status: 3, stderr: /a\.txt: .*over the limit of 3; send fewer, or raise MAX_CHARACTERS/ });
  const named = await chunk('a.txt --chunker token --tokenizer gpt44');
  t.match(named, {
    status: 2,
    stderr: /^--tokenizer: there is no tokenizer "gpt44".*, or set ALLOW_DOWNLOADS=true/,
  });
  t.notMatch(named.stderr, /the server|--allow/);
  const table = await chunk('b.csv --chunker token --format csv');
  t.match(table, { stderr: /name the one with the text in --text-field/ });
  const fit = await chunk('a.txt --chunker token');
  t.equal(fit.status, 0, fit.stderr);
});
