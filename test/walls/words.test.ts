import { basename, dirname } from 'node:path';
import t from 'tap';
import { KINDS } from '../../core/contracts/manifest.ts';
import { isOfMissingPlugin } from '../support/here.ts';
import { pluginFolderOf, SOURCES, type Sources, withoutComments } from './sources.ts';

/** Files that read the command line, and why. Biome keeps the same rule for the environment. */
const ARGUMENT_READERS: Readonly<Record<string, string>> = {
  'server/main.ts': 'the entry of the server',
  'server/cli/bin.ts': 'the entry of the command of the package',
  'server/cli/health.ts': 'the entry of a command of its own',
  'server/cli/main.ts': 'the entry of the command line',
  'server/cli/reload.ts': 'it runs what this process runs, again',
};

const IDS = new Set(
  [...SOURCES.keys()].flatMap((file) => {
    const folder = pluginFolderOf(file);
    return KINDS.filter(
      (kind) => folder !== undefined && dirname(folder).startsWith(`plugins/${kind.slice(0, -1)}`),
    ).map((kind) => `${kind}/${basename(folder as string)}`);
  }),
);
const STRING = /(['"`])([\w/-]+)\1/g;

/** The ids of plugins, such as `chunker/token`, that are whole strings of core and server. Templates show authors an example. */
function pluginIdsIn(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    if (!/^(core|server(?!\/(?:clients\/(?:javascript|python)|cli\/templates)\/))\//.test(file)) return [];
    const strings = [...withoutComments(source).matchAll(STRING)].map(([, , text = '']) => text);
    return strings.filter((text) => IDS.has(text)).map((text) => `${file}: ${text}`);
  });
}

/** Files that match a pattern outside of comments. */
function filesWith(pattern: RegExp, sources: Sources): string[] {
  return [...sources].filter(([, source]) => pattern.test(withoutComments(source))).map(([file]) => file);
}

/** Files that set switches of V8, which hold for the whole process. */
const SWITCH_SETTERS: Readonly<Record<string, string>> = {
  'server/cli/v8-switches.ts':
    'what the start of the server sets, for itself and for the plugins that it has found',
  'server/engine/memory.ts': 'the function that collects garbage, which nothing else offers',
};

const V8_SWITCHES = /\b(setFlagsFromString|node:v8)\b/;
const ARGUMENTS = /\bargv\b/;
/** What would get round the globals that Biome keeps from core and plugins. */
const HIDDEN_GLOBALS = /\bglobalThis\s*(\?\.|\.|\[\s*['"`])(fetch|process)\b/;

t.test('core and server know no plugin by name', async (t) => {
  // The schema of a manifest has examples.
  const found = pluginIdsIn(SOURCES).filter((one) => !one.startsWith('core/contracts/manifest.ts'));
  t.same(found, []);
});

t.test('entries alone read the arguments, and only files with a reason set switches of V8', async (t) => {
  t.same(filesWith(ARGUMENTS, SOURCES), Object.keys(ARGUMENT_READERS).sort());
  t.same(filesWith(V8_SWITCHES, SOURCES), Object.keys(SWITCH_SETTERS).sort());
});

t.test('core and plugins take no network and no process from globalThis', async (t) => {
  const found = filesWith(HIDDEN_GLOBALS, SOURCES).filter((file) => !file.startsWith('server/'));
  t.same(found, []);
});

/** Compiled `codePointAt` of Node 24.21 reads on after the end of a slice; `splitsCodePoint` does not. */
const CODE_POINT_AT = /\.codePointAt\(/;
const OF_ONE_CHARACTER = [
  'plugins/chunkers/table/csv.ts',
  'plugins/embeddings/static/lexical/lexical-vectors.ts',
];

t.test('no code point of a text is read by codePointAt', async (t) => {
  const here = filesWith(CODE_POINT_AT, SOURCES).filter((file) => !file.startsWith('server/clients/'));
  t.same(
    here,
    OF_ONE_CHARACTER.filter((file) => !isOfMissingPlugin(file)),
  );
});

t.test('each rule sees its breaches', async (t) => {
  const [id] = IDS;
  for (const source of [`open('${id}')`, `if (one === "${id}") f();`])
    t.equal(pluginIdsIn(new Map([['server/engine/a.ts', source]])).length, 1, source);
  for (const source of [`open('${id}-like')`, `// '${id}'\n`, `const x = '${id}/index.ts';`])
    t.same(pluginIdsIn(new Map([['core/a.ts', source]])), [], source);
  t.equal(filesWith(ARGUMENTS, new Map([['server/a.ts', "import { argv } from 'node:process';"]])).length, 1);
  t.equal(filesWith(V8_SWITCHES, new Map([['server/a.ts', "import v8 from 'node:v8';"]])).length, 1);
  for (const source of ['globalThis.fetch(url)', 'globalThis?.process.pid', "globalThis['fetch'](url)"])
    t.equal(filesWith(HIDDEN_GLOBALS, new Map([['core/a.ts', source]])).length, 1, source);
});
