import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { KINDS } from '../../../core/contracts/manifest.ts';
import { writeNewPlugin } from '../../../server/cli/commands/plugin-new.ts';
import { openHarness, SUITES } from '../../../server/testing/index.ts';
import { postForm } from '../../support/files.ts';
import { runJob, startJobServer } from '../../support/jobs.ts';
import { temporaryFolder } from '../../support/server.ts';
import { checkFailures, runHere } from './command.ts';

/** `chunksmith plugin new` makes plugins that work, of each kind and in both languages. */

const ROOT = join(import.meta.dirname, '../../..');
const CHUNK = { text: 'Tea', start_index: 0, end_index: 3, token_count: 3 };

for (const language of ['javascript', 'typescript'] as const) {
  t.test(`${language}: a plugin of each kind`, async (t) => {
    // As npm makes a package.
    const folder = await temporaryFolder(t, { 'package.json': '{"type": "commonjs"}' });
    for (const kind of KINDS) writeNewPlugin(kind, `my-own-${kind}`, folder, language);
    const coded = (name: string) => `${name}.${language === 'typescript' ? 'ts' : 'js'}`;

    await t.test('has its files, and no other name in them', async (t) => {
      for (const kind of KINDS) {
        const name = `my-own-${kind}`;
        const files = await readdir(join(folder, name));
        const own = ['README.md', 'package.json', ...['index', 'manifest', `${name}.test`].map(coded)];
        t.same(files.sort(), [...own, ...(kind === 'sink' ? [coded('stand-in')] : [])].sort());
        for (const file of files)
          t.notMatch(await readFile(join(folder, name, file), 'utf8'), /my-plugin\b| {2,}[;,)]/, file);
      }
    });

    await t.test('keeps the promises of its kind', async (t) => {
      const names = KINDS.map((kind) => `my-own-${kind}`);
      const harness = await openHarness({ pluginsDir: [folder], plugins: [...names, 'character'] });
      for (const kind of KINDS) {
        const [made] = harness.plugins(kind).filter(({ manifest }) => manifest.name === `my-own-${kind}`);
        if (made === undefined) return t.fail(kind);
        t.equal(made.warning, undefined, 'it is written for this version of the contract');
        t.ok(await SUITES[kind].run(harness, made, { runs: 25 }), kind);
        const readme = await readFile(join(folder, made.manifest.name, 'README.md'), 'utf8');
        for (const option of Object.keys(made.manifest.options?.properties ?? {}))
          t.ok(readme.includes(`\`${option}\``), `its README names ${option}`);
      }
    });

    await t.test('is served and answers', async (t) => {
      // One of the two in a worker.
      const workers = language === 'typescript' ? 1 : 0;
      const server = await startJobServer(t, {}, { pluginsDir: [folder], workers, inlineBytes: 0 });
      const texts = async (name: string, request: { text: string } & Record<string, unknown>) =>
        (await server.chunk(name, request)).map(({ text }) => text);
      t.same(await texts('my-own-chunker', { text: 'A\n---\nB c d', chunk_size: 6 }), ['A\n---\n', 'B c d']);
      const refined = await server.post('/v1/refine/my-own-refinery', { chunks: [CHUNK] });
      t.same(refined.json(), [{ ...CHUNK, text: '> Tea', token_count: 5 }]);
      const words = { text: 'Boil water. Wait!', chunk_size: 2, tokenizer: 'my-own-tokenizer' };
      t.same(await texts('token', words), ['Boil water. ', 'Wait!']);
      const embedded = await server.post('/v1/embed', { text: 'Abba', embedding_model: 'my-own-embedding' });
      t.match(embedded.json(), { embeddings: [[2, 2, 0]] });
      const bytes = '[01:02.50]Hello.\n';
      const read = await postForm(server, '/v1/chunk/token/file', { bytes, name: 'a.lrc' }, [
        ['include', 'places'],
      ]);
      t.match(read.json(), [{ text: 'Hello.\n\n', places: [{ start_time: 62.5 }] }]);
      await runJob(server, {
        source: { documents: [{ id: 'a', text: 'abcdefgh' }] },
        include: ['id'],
        target: { sink: { name: 'my-own-sink', folder: join(server.root, 'stored') } },
      });
      const names = await readdir(join(server.root, 'stored'));
      const file = names.find((one) => !one.startsWith('settings')) ?? '';
      const stored = JSON.parse(await readFile(join(server.root, 'stored', file), 'utf8'));
      t.match(stored, [{ document_id: 'a', text: 'abcd' }, { text: 'efgh' }]);
    });
  });
}

t.test('the command says what to do next in a checkout, and refuses what cannot be', async (t) => {
  const cwd = await temporaryFolder(t, { 'my-plugins/there/notes.txt': '' });
  const made = await runHere(t, ['plugin', 'new', 'chunker', 'mine'], { cwd });
  t.equal(made.status, 0, made.stderr);
  t.match(made.stdout, /Created my-plugins\/mine: /);
  for (const command of [
    'run -s chunksmith -- plugin check my-plugins/mine',
    'run -s chunksmith -- serve --reload --plugins-dir my-plugins',
    "curl -s localhost:8000/v1/chunk/mine --json '{",
    `ln -sfn ${ROOT} my-plugins/mine/node_modules/chunksmith`,
    'node --conditions=chunksmith-source --test my-plugins/mine/mine.test.js',
  ])
    t.ok(made.stdout.includes(command), command);
  await checkFailures(t, (...args) => runHere(t, ['plugin', 'new', ...args], { cwd }), [
    ['chunkr a', /'chunkr' is invalid for argument 'kind'. Allowed choices are chunker, /],
    ['chunker My_Own', /My_Own: expected a name of lower-case letters, digits and single hyphens/],
    ['chunker there', /my-plugins\/there: this already exists/],
    ['chunker', /missing required argument 'name'/],
  ]);
  const [builtIn] = await readdir(join(ROOT, 'plugins/chunkers')).catch(() => []);
  if (builtIn === undefined) return;
  t.throws(() => writeNewPlugin('chunker', builtIn, cwd, 'javascript'), /comes with the server; choose/);
});
