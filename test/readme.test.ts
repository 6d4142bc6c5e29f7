// Needs chunker/code, chunker/recursive, chunker/semantic, chunker/sentence, refinery/embeddings.
// Needs refinery/overlap, embedding/cohere, embedding/openai, embedding/static, embedding/transformer.
// Needs embedding/voyage.

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import t from 'tap';
import { KINDS } from '../core/contracts/manifest.ts';
import { SUITES } from './contracts/suites.ts';
import { openWorkbench } from './contracts/workbench.ts';
import { postRoutes } from './support/openapi.ts';
import { startServer, temporaryFolder } from './support/server.ts';

/** What the README says is true: its examples are run, and its tables held against the code. */

const ROOT = join(import.meta.dirname, '..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The files of the plugins that the README shows, by their paths in `my-plugins`. */
const files = Object.fromEntries(
  [...readme.matchAll(/^`my-plugins\/(\S+)`\n\n```js\n([\s\S]*?)^```$/gm)].map(([, path, source]) => [
    path,
    source,
  ]),
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

const COMMAND = /^\$ curl -s localhost:8000(\S+) --json '([^']*)'(?: \| jq (?:-c '(.*)'|-r (\S+)))?$/;

/** The commands of the README with the lines that they print. */
function examplesOf(text: string): Example[] {
  const blocks = [...text.matchAll(/^```console\n(\$ curl[\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split(/^(?=\$ )/m)).map(readExample);
}

function readExample(text: string): Example {
  const [command = '', ...shown] = text.trimEnd().split('\n');
  const [, path, body, list, raw] = COMMAND.exec(command) ?? [];
  if (path === undefined || body === undefined) throw new Error(`not understood: ${command}`);
  return { path, body, filter: list ?? raw, shown };
}

t.test('its commands print what it says', async (t) => {
  const client = await startServer(t, { pluginsDir });
  const examples = examplesOf(readme);
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
      `${path} ${body}`,
    );
  }
});

/** The values that `jq` prints. */
function filtered(answer: unknown, filter: string | undefined): unknown[] {
  switch (filter) {
    case undefined:
      return [answer];
    case '.[]':
      return answer as unknown[];
    case '.[0].embedding[:4]':
      return [(answer as { embedding: number[] }[])[0]?.embedding.slice(0, 4)];
    default:
      throw new Error(`not understood: ${filter}`);
  }
}

t.test('it shows a plugin of each kind, which keeps the promises of its kind', async (t) => {
  const bench = await openWorkbench({ pluginsDir, plugins: [...plugins, 'character'] });
  for (const kind of KINDS) {
    const shown = bench.plugins(kind).filter(({ manifest }) => plugins.includes(manifest.name));
    t.equal(shown.length, 1, kind);
    for (const plugin of shown) t.ok(await SUITES[kind](bench, plugin), plugin.id);
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
  for (const file of ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'plugins/README.md']) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (!link.startsWith('http')) t.ok(existsSync(join(ROOT, dirname(file), link)), `${file}: ${link}`);
    }
  }
});
