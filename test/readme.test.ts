import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { SUITES } from 'chunksmith/testing';
import t, { type Test } from 'tap';
import { KINDS } from '../core/contracts/manifest.ts';
import { postForm } from './support/files.ts';
import { isOfMissingPlugin, needs } from './support/here.ts';
import { postRoutes } from './support/openapi.ts';
import { startServer, temporaryFolder } from './support/server.ts';
import { openWorkbench } from './support/workbench.ts';

/** What the README and its pages say is true: examples are run, and tables held against the code. */

const ROOT = join(import.meta.dirname, '..');
const PAGES = [
  'README.md',
  'plugins/AUTHORS.md',
  'plugins/EXAMPLES.md',
  'server/CLIENTS.md',
  'server/OPERATIONS.md',
  'server/OPTIONS.md',
];
/** Those whose links are looked at alone; test/corpora.test.ts and test/server/clients/readme.test.ts run their examples. */
const OTHERS = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'plugins/README.md',
  'server/CORPORA.md',
  'server/RUNBOOK.md',
  'server/clients/FROM-CHONKIE.md',
  'server/clients/README.md',
];
const page = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The plugins of the commands and clients that are shown. */
const SHOWN = [
  'chunker/code',
  'chunker/recursive',
  'chunker/semantic',
  'chunker/sentence',
  'refinery/embeddings',
  'refinery/overlap',
  'embedding/static',
  'tokenizer/huggingface',
  'tokenizer/tiktoken',
  'tokenizer/word',
] as const;

/** The files of the plugins that the page of examples shows, by their paths in `my-plugins`. */
const files = Object.fromEntries(
  [...page('plugins/EXAMPLES.md').matchAll(/^`my-plugins\/(\S+)`\n\n```js\n([\s\S]*?)^```$/gm)].map(
    ([, path, source]) => [path, source],
  ),
) as Record<string, string>;
const plugins = [...new Set(Object.keys(files).map((path) => dirname(path)))];
const pluginsDir = [await temporaryFolder(t, files)];

interface Example {
  readonly path: string;
  readonly body: string;
  /** What `jq` shows of the answer; nothing if the answer is shown whole. */
  readonly filter: string | undefined;
  readonly shown: readonly string[];
}

const CURL = /^\$ curl -s localhost:8000(\S+) --json '([^']*)'(?: \| jq (?:-c '(.*)'|-r (\S+)))?$/;
const FILE = /^\$ curl -s localhost:8000(\S+)\/file -F file=@(\S+) -F chunk_size=(\d+) \| jq -c '(.*)'$/;

/** The commands of a page with the lines that they print. */
function examplesOf(text: string): Example[] {
  const blocks = [...text.matchAll(/^```console\n(\$ (?:curl|jq)[\s\S]*?)^```$/gm)].map(
    ([, block = '']) => block,
  );
  return blocks.flatMap((block) => block.split(/^(?=\$ )/m)).map(readExample);
}

function readExample(text: string): Example {
  const [command = '', ...shown] = text.trimEnd().split('\n');
  const [, path, body, list, raw] = CURL.exec(command) ?? [];
  if (path !== undefined && body !== undefined) return { path, body, filter: list ?? raw, shown };
  if (FILE.test(command)) return { path: command, body: '', filter: undefined, shown };
  throw new Error(`not understood: ${command}`);
}

t.test('its commands print what it says', needs(...SHOWN), async (t) => {
  const client = await startServer(t, { pluginsDir });
  const examples = PAGES.flatMap((file) => examplesOf(page(file))).filter(({ body }) => body !== '');
  t.ok(examples.length > 15, `${examples.length} commands`);
  // The id of the pipeline that it creates, as it is shown and as it is.
  let [shownId, id] = ['no id yet', ''];
  for (const { path, body, filter, shown } of examples) {
    const answer = await client.post(path.replace(shownId, id), body);
    if (filter === '.id') {
      [shownId, id] = [shown[0] as string, answer.json<{ id: string }>().id];
      continue;
    }
    t.same(
      filtered(answer.json(), filter),
      shown.map((line) => JSON.parse(line)),
      `${path} ${body.slice(0, 200)}`,
    );
  }
});

t.test('a file is chunked as it says', needs('chunker/auto', 'reader/text'), async (t) => {
  const client = await startServer(t);
  const shown = page('README.md').split('\n');
  const [, path = '', file = '', size = '', filter] =
    shown.map((line) => FILE.exec(line)).find((found) => found !== null) ?? [];
  const answer = await postForm(client, `${path}/file`, { bytes: page(file), name: file }, [
    ['chunk_size', size],
  ]);
  const expected = shown[shown.findIndex((line) => FILE.test(line)) + 1] as string;
  t.same(filtered(answer.json(), filter), [JSON.parse(expected)]);
});

t.test(
  'its clients of files print what it says',
  needs('chunker/auto', 'chunker/markdown', 'chunker/table', 'reader/text'),
  async (t) => {
    const inJs = programBefore(clients, 'node files.mjs');
    t.equal(await runClient(t, process.execPath, inJs), shownBehind(clients, 'node files.mjs'));
    if (!hasPython) return;
    const inPython = programBefore(clients, 'python3 files.py');
    t.equal(await runClient(t, 'python3', inPython), shownBehind(clients, 'python3 files.py'));
  },
);

/** The values that `jq` prints. */
function filtered(answer: unknown, filter: string | undefined): unknown[] {
  switch (filter) {
    case undefined:
      return [answer];
    case '.[]':
      return answer as unknown[];
    case '[.[] | .end_index]':
      return [(answer as { end_index: number }[]).map(({ end_index }) => end_index)];
    case '.[0].embedding[:4]':
      return [(answer as { embedding: number[] }[])[0]?.embedding.slice(0, 4)];
    default:
      throw new Error(`not understood: ${filter}`);
  }
}

const clients = page('server/CLIENTS.md');

/** The first program of a page in a language, from a line of its on if that is given. */
function programOf(text: string, language: string, line = ''): string {
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  const program = blocks.map(([, source = '']) => source).find((source) => source.includes(line));
  if (program === undefined) throw new Error(`no ${language} with ${line}`);
  return program;
}

/** The program of a page that stands before how it is run: `node client.mjs`. */
function programBefore(text: string, run: string): string {
  const before = text.slice(0, text.indexOf(`$ ${run}\n`));
  return [...before.matchAll(/^```(?:python|js)\n([\s\S]*?)^```$/gm)].at(-1)?.[1] ?? '';
}

/** Runs a program of a page; gives what it prints. */
async function runProgram(t: Test, command: string, source: string): Promise<string> {
  const file = command === 'python3' ? 'program.py' : 'program.mjs';
  const cwd = await temporaryFolder(t, { [file]: source });
  const env = { PATH: process.env.PATH, PYTHONUTF8: '1' };
  const { stdout, stderr } = await promisify(execFile)(command, [file], { cwd, env });
  return stdout + stderr;
}

/** Runs a program of a page, with lines of the test's own behind it, against a server. */
async function runClient(
  t: Test,
  command: string,
  program: string,
  more = '',
  base?: string,
): Promise<string> {
  const url = base ?? (await startServer(t)).url;
  return runProgram(t, command, program.replace('http://localhost:8000', url) + more);
}

const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const hasPython = has('python3');
const shownBehind = (text: string, command: string): string =>
  text.slice(text.indexOf(`$ ${command}\n`) + command.length + 3).split('```')[0] as string;

t.test('its clients print what it says, and show the detail of an error', needs(...SHOWN), async (t) => {
  const client = programOf(clients, 'js');
  t.equal(await runClient(t, process.execPath, client), shownBehind(clients, 'node client.mjs'));
  const js =
    "try { await chunk('a', 'token', { chunk_sise: 1 }); } catch ({ message }) { console.log(message); }";
  t.match(await runClient(t, process.execPath, client, js), /chunk_sise: unknown parameter, did you mean/);
  if (!hasPython) return;
  const inPython = programOf(clients, 'python');
  t.equal(await runClient(t, 'python3', inPython), shownBehind(clients, 'python3 client.py'));
  const python = "try:\n    chunk('a', chunk_sise=1)\nexcept ValueError as error:\n    print(error)\n";
  t.match(await runClient(t, 'python3', inPython, python), /chunk_sise: unknown parameter, did you mean/);
});

t.test(
  'its clients of streams print what it says, and throw what is wrong with the whole',
  needs('chunker/sentence', 'chunker/recursive'),
  async (t) => {
    const inJs = programBefore(clients, 'node stream.mjs');
    t.equal(await runClient(t, process.execPath, inJs), shownBehind(clients, 'node stream.mjs'));
    const js = 'for await (const line of stream([], "token", OPTIONS)) console.log(line);';
    const jsOr = (options: string) =>
      `try { ${js.replace('OPTIONS', options)} } catch ({ message }) { console.log(message); }`;
    t.match(
      await runClient(t, process.execPath, inJs, jsOr('{ chunk_sise: 1 }')),
      /chunk_sise: unknown parameter/,
    );
    const cut = await cutting(t);
    t.match(await runClient(t, process.execPath, inJs, jsOr('{}'), cut).catch(String), /aborted/);
    if (!hasPython) return;
    const inPython = programBefore(clients, 'python3 stream.py');
    t.equal(await runClient(t, 'python3', inPython), shownBehind(clients, 'python3 stream.py'));
    const python =
      'try:\n    list(stream([], chunk_sise=1))\nexcept ValueError as error:\n    print(error)\n';
    t.match(await runClient(t, 'python3', inPython, python), /chunk_sise: unknown parameter/);
    t.match(await runClient(t, 'python3', inPython, '', cut).catch(String), /IncompleteRead/);
  },
);

/** The address of a server that ends connections in the middle of its answers. */
async function cutting(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200).write('{"index":0,"id":"a","chunks":[]}\n', () => response.destroy());
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const STREAMED =
  /^\$ (printf '%s\\n' .* \| curl -sN )localhost:8000(\/\S+ -H 'Content-Type: application\/x-ndjson' -X POST -T -)\n([\s\S]*?)^```$/gm;

t.test('its streams print what it says', { skip: has('curl') ? false : 'there is no curl' }, async (t) => {
  const { url } = await startServer(t);
  const shown = PAGES.flatMap((file) => [...page(file).matchAll(STREAMED)]);
  t.ok(shown.length >= 2);
  for (const [, before, after, lines] of shown) {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', before + url + after]);
    t.equal(stdout, lines);
  }
});

t.test(
  'after an edit it finds what is to be embedded and what deleted',
  needs('chunker/recursive'),
  async (t) => {
    const printed = await runClient(t, process.execPath, programOf(page('README.md'), 'js'));
    t.equal(printed, shownBehind(page('README.md'), 'node edited.mjs'));
    t.match(
      printed,
      /^embed \S+ "Wait for four minutes\.\\n\\n"\ndelete \S+ "Wait for three minutes\.\\n\\n"\n$/,
    );
  },
);

t.test(
  'its recipe of hashes and ids gives those of the server',
  { skip: !hasPython && 'no Python' },
  async (t) => {
    const client = await startServer(t);
    const id = 'kb/é😀\ud800';
    const namespace = '漢\udc00';
    const texts = ['a\n', '\ud800', 'é😀', 'a\n', '\udc00\ud800 ', 'a\n'];
    const document = { id, text: texts.join('') };
    const request = { documents: [document], namespace, chunk_size: 2, include: ['id', 'hash'] };
    const [chunks = []] = (await client.post('/v1/chunk/token', request)).json<
      { text: string; id: string; hash: string }[][]
    >();
    t.ok(chunks.length > new Set(chunks.map(({ hash }) => hash)).size, 'some stand twice');
    const given = JSON.stringify(JSON.stringify({ id, namespace, texts: chunks.map(({ text }) => text) }));
    const more = `
import json
given = json.loads(${given})
hashes = [sha256(text).hex() for text in given["texts"]]
print(json.dumps([hashes, list(chunk_ids(given["namespace"], given["id"], hashes))]))
`;
    const printed = await runProgram(t, 'python3', programOf(clients, 'python', 'def chunk_ids(') + more);
    t.same(JSON.parse(printed), [chunks.map(({ hash }) => hash), chunks.map(({ id }) => id)]);
  },
);

t.test('it is short, and its pages are where it says', async (t) => {
  t.ok(page('README.md').split('\n').length <= 250);
  for (const file of [...PAGES.slice(1), 'server/CORPORA.md']) t.match(page('README.md'), `](${file})`);
});

t.test('it shows a plugin of each kind, which keeps the promises of its kind', async (t) => {
  const bench = await openWorkbench({ pluginsDir, plugins: [...plugins, 'character'] });
  for (const kind of KINDS) {
    const shown = bench.plugins(kind).filter(({ manifest }) => plugins.includes(manifest.name));
    t.equal(shown.length, 1, kind);
    for (const plugin of shown) t.ok(await SUITES[kind].run(bench, plugin), plugin.id);
  }
});

t.test('the examples of their manifests work', async (t) => {
  const client = await startServer(t, { pluginsDir });
  const routes = await postRoutes(client, '/v1/');
  const shown = routes.filter(({ path }) => plugins.includes(basename(path)));
  t.equal(shown.length, 2, 'a chunker and a refinery');
  for (const { path, examples } of shown) {
    for (const example of examples) t.equal((await client.post(path, example)).status, 200, path);
  }
});

t.test('its links lead to files', async (t) => {
  for (const file of [...PAGES, ...OTHERS]) {
    const text = page(file);
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      const path = join(dirname(file), link);
      if (link.startsWith('http') || isOfMissingPlugin(path)) continue;
      t.ok(existsSync(join(ROOT, path)), `${file}: ${link}`);
    }
  }
});
