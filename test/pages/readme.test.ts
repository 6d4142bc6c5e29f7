import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inspect } from 'node:util';
import t from 'tap';
import { postForm } from '../support/files.ts';
import { needs } from '../support/here.ts';
import { postRoutes } from '../support/openapi.ts';
import { startServer, temporaryFolder } from '../support/server.ts';
import {
  blocksOf,
  fileRows,
  PAGES,
  page,
  programBefore,
  programOf,
  RECIPES,
  runHere,
  SHOWN,
  shownAfter,
  startCutting,
} from './programs.ts';

/** What the README and its pages say is true: examples are run, but for those that processes/readme.test.ts runs. */

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = /^`my-plugins\/(\S+)`\n\n```js\n([\s\S]*?)^```$/gm;
/** The files of the plugins that the pages of examples show, by their paths in `my-plugins`. */
const files: Record<string, string> = Object.fromEntries(
  ['plugins/EXAMPLES.md', 'plugins/EXAMPLES-FILES.md'].flatMap((name) =>
    Array.from(page(name).matchAll(EXAMPLE), ([, path, source]) => [path, source]),
  ),
);
const plugins = [...new Set(Object.keys(files).map((path) => dirname(path)))];
const pluginsDir = [await temporaryFolder(t, files)];
const client = await startServer(t, { pluginsDir });

interface Example {
  readonly path: string;
  readonly body: string;
  /** What `jq` shows of the answer; nothing if the answer is shown whole. */
  readonly filter: string | undefined;
  readonly shown: readonly string[];
}

const CURL = /^\$ curl -s localhost:8000(\S+) --json '([^']*)'(?: \| jq (?:-c '(.*)'|-r (\S+)))?$/;
const FILE = /^\$ curl -s localhost:8000(\S+)\/file -F file=@(\S+)((?: -F \w+=\w+)*) \| jq -c '(.*)'$/;
const FIELD = / -F (\w+)=(\w+)/g;

/** The commands of a page with the lines that they print. */
function examplesOf(text: string): Example[] {
  const blocks = blocksOf(text, 'console').filter((block) => /^\$ (curl|jq)/.test(block));
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
    const expected = shown.map((line) => JSON.parse(line));
    t.same(filtered(answer.json(), filter), expected, `${path} ${body.slice(0, 200)}`);
  }
});

t.test('files are chunked as it says', needs('chunker/auto', 'reader/text', 'reader/pdf'), async (t) => {
  const shown = page('README.md').split('\n');
  const examples = shown.flatMap((line, index) => {
    const [, path = '', file = '', fields = '', filter] = FILE.exec(line) ?? [];
    return path === '' ? [] : [{ path, file, fields, filter, expected: shown[index + 1] as string }];
  });
  t.equal(examples.length, 2);
  for (const { path, file, fields, filter, expected } of examples) {
    const upload = { bytes: readFileSync(join(ROOT, file)), name: basename(file) };
    const pairs = Array.from(fields.matchAll(FIELD), ([, name = '', value = '']) => [name, value] as const);
    const answer = await postForm(client, `${path}/file`, upload, pairs);
    t.same(filtered(answer.json(), filter), [JSON.parse(expected)], file);
  }
});

/** The values that `jq` prints. */
function filtered(answer: unknown, filter: string | undefined): unknown[] {
  switch (filter) {
    case undefined:
      return [answer];
    case '.[]':
      return answer as unknown[];
    case '[.[] | .end_index]':
      return [(answer as { end_index: number }[]).map(({ end_index }) => end_index)];
    case '.[] | [.context, .text]':
      return (answer as { context: string; text: string }[]).map(({ context, text }) => [context, text]);
    case '.[0].places[0]':
      return [(answer as { places: unknown[] }[])[0]?.places[0]];
    case '.[0].embedding[:4]':
      return [(answer as { embedding: number[] }[])[0]?.embedding.slice(0, 4)];
    default:
      throw new Error(`not understood: ${filter}`);
  }
}

const clients = page('server/CLIENTS.md');
/** Runs a program of a page, with lines of the test's own after it. */
const run = (program: string, more = '', url = client.url): Promise<string> =>
  runHere(t, program.replace('http://localhost:8000', url) + more);

const OF_FILES = needs('chunker/auto', 'chunker/markdown', 'chunker/table', 'reader/text');
t.test('its clients of files print what it says', OF_FILES, async (t) => {
  t.equal(await run(programBefore(clients, 'node files.mjs')), shownAfter(clients, 'node files.mjs'));
});

t.test('its clients print what it says, and show the detail of an error', needs(...SHOWN), async (t) => {
  const program = programOf(clients, 'js');
  t.equal(await run(program), shownAfter(clients, 'node client.mjs'));
  const wrong =
    "try { await chunk('a', 'token', { chunk_sise: 1 }); } catch ({ message }) { console.log(message); }";
  t.match(await run(program, wrong), /chunk_sise: unknown parameter, did you mean/);
});

const STREAMS = 'its clients of streams print what it says, and throw what is wrong with the whole';
t.test(STREAMS, needs('chunker/sentence', 'chunker/recursive'), async (t) => {
  const program = programBefore(clients, 'node stream.mjs');
  t.equal(await run(program), shownAfter(clients, 'node stream.mjs'));
  const wrong = 'for await (const line of stream([], "token", { chunk_sise: 1 })) console.log(line);';
  await t.rejects(run(program, wrong), { message: /chunk_sise: unknown parameter/ });
  t.match(await run(program, '', await startCutting(t)).catch(inspect), /aborted|terminated/);
});

const OF_EDITS = needs('chunker/recursive');
t.test('after an edit it finds what is to be embedded and what deleted', OF_EDITS, async (t) => {
  const tour = page('server/TOUR.md');
  const printed = await run(programOf(tour, 'js'));
  t.equal(printed, shownAfter(tour, 'node edited.mjs'));
  const [embedded, deleted] = printed.trimEnd().split('\n');
  t.match(embedded, /^embed \S+ "Wait for four minutes\.\\n\\n"$/);
  t.match(deleted, /^delete \S+ "Wait for three minutes\.\\n\\n"$/);
});

const MAX_BYTES_OF_PICTURE = 150_000;

t.test('its pictures load quickly, for bright and dark pages', async (t) => {
  const pictures = Array.from(
    page('README.md').matchAll(/\b(?:src|srcset)="([^"]+)"/g),
    ([, file = '']) => file,
  );
  t.ok(pictures.some((file) => /-light\./.test(file)) && pictures.some((file) => /-dark\./.test(file)));
  for (const file of pictures) t.ok(statSync(join(ROOT, file)).size < MAX_BYTES_OF_PICTURE, file);
});

t.test('recipes fit on a page', async (t) => {
  for (const file of RECIPES) t.ok(page(file).split('\n').length <= 61, file);
});

t.test('the examples of their manifests work', async (t) => {
  const routes = await postRoutes(client, '/v1/');
  const shown = routes.filter(({ path }) => plugins.includes(basename(path)));
  t.equal(shown.length, 2, 'a chunker and a refinery');
  for (const { path, examples } of shown) {
    for (const example of examples) t.equal((await client.post(path, example)).status, 200, path);
  }
});

/** Readers of what others cannot read, and of what these read, too. */
const OF_SERVICES = ['docling', 'tika'];
const rows = fileRows().filter(({ readers }) => readers.length > 0);
const ownRows = rows.filter(({ readers }) => !readers.some((name) => OF_SERVICES.includes(name)));
const own = ownRows.flatMap(({ endings }) => endings);

for (const name of readdirSync(join(ROOT, 'plugins/readers')).filter((name) => name !== 'text')) {
  t.test(`the table of files has what the reader ${name} reads`, async (t) => {
    const { formats } = (await import(join(ROOT, 'plugins/readers', name, 'manifest.ts'))).default;
    const isOther = (ending: string) => OF_SERVICES.includes(name) && own.includes(ending);
    const read = (formats.extensions as string[]).filter((ending) => !isOther(ending));
    const listed = rows.filter(({ readers }) => readers.includes(name)).flatMap(({ endings }) => endings);
    // The last row of tika names some of many.
    t.same(listed.sort(), read.filter((ending) => name !== 'tika' || listed.includes(ending)).sort());
  });
}
