import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import type { Node, Tree } from 'web-tree-sitter';
import { findLanguage, LANGUAGES, type Language } from '../../../../plugins/chunkers/code/languages.ts';
import { createParsers, fileOf } from '../../../../plugins/chunkers/code/parsers.ts';
import { chunker, pluginsFolder } from '../../../support/plugins.ts';
import { startServer } from '../../../support/server.ts';

/** The part of WebAssembly that these tests need, of which the types of Node say nothing. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Module: Record<'imports' | 'exports', (module: object) => Extern[]>;
};

interface Extern {
  readonly kind: string;
  readonly name: string;
}

const SOURCE = new URL('../../../../plugins/chunkers/code/', import.meta.url);
const CASE = 'case x in\na) b;;\nesac\n';
const bash = findLanguage('bash') as Language;
/** A grammar that really traps at the word `case`: it imports `isalpha`, which nothing exports. */
const trapping: Language = { ...bash, package: 'tree-sitter-wasms' };
const limits = { budget: 10_000, signal: new AbortController().signal };

/** What only an assertion needs that never fails, or a C++ exception that is never thrown; both end in a trap. */
const UNREACHABLE: ReadonlySet<string> = new Set(['__assert_fail', 'abort']);

t.test('what the grammars import is exported by the binding or by themselves', async (t) => {
  const binding = createRequire(SOURCE).resolve('web-tree-sitter/tree-sitter.wasm');
  const common = exportsOf(await WebAssembly.compile(readFileSync(binding)));
  const missing = async (language: Language) => {
    const grammar = await WebAssembly.compile(readFileSync(fileOf(language)));
    const known = new Set([...common, ...exportsOf(grammar)]);
    return WebAssembly.Module.imports(grammar)
      .filter(({ kind, name }) => kind === 'function' && !known.has(name) && !UNREACHABLE.has(name))
      .map(({ name }) => name);
  };
  for (const language of LANGUAGES) t.same(await missing(language), [], language.name);
  t.same(await missing(trapping), ['isalpha'], 'a grammar that lacks one is found out');
});

function exportsOf(module: object): string[] {
  return WebAssembly.Module.exports(module).map(({ name }) => name);
}

/** What the grammars take for an error though it is none, by language: their gaps, for which there are no others. */
const GAPS: Readonly<Record<string, readonly string[]>> = {
  kotlin: [','],
  swift: ['#available', '13'],
};

t.test(
  'each construct of the thirty languages is parsed without an error, and nothing of it is lost',
  async (t) => {
    const parsers = await createParsers();
    const { chunk } = await startServer(t, { plugins: ['code', 'character'] });
    for (const language of LANGUAGES) {
      const text = readFileSync(join(import.meta.dirname, 'constructs', `${language.name}.txt`), 'utf8');
      const errors = await parsers.parse(language, text, limits, (tree) => errorsIn((tree as Tree).rootNode));
      t.same(errors, GAPS[language.name] ?? [], language.name);
      const chunks = await chunk('code', {
        language: language.name,
        text,
        chunk_size: 100,
        oversize: 'split',
      });
      t.equal(chunks.map((one) => one.text).join(''), text, `${language.name}: nothing is lost`);
      t.ok(
        chunks.every(({ token_count }) => token_count <= 100),
        `${language.name}: within the limit`,
      );
    }
  },
);

/** The texts of the error nodes, and what is missing. */
function errorsIn(node: Node): string[] {
  if (node.isError || node.isMissing) return [node.text || node.type];
  if (!node.hasError) return [];
  return node.children.flatMap((child) => (child === null ? [] : errorsIn(child)));
}

t.test('a trap leaves nothing poisoned: grammars are loaded anew', async (t) => {
  const parsers = await createParsers();
  const typeOf = (language: Language, text: string) =>
    parsers.parse(language, text, limits, (tree) => tree?.rootNode.firstChild?.type);
  const go = findLanguage('go') as Language;
  t.equal(await typeOf(go, 'package main\n'), 'package_clause');
  for (let time = 0; time < 3; time++) {
    await t.rejects(typeOf(trapping, CASE), { name: 'TypeError' });
    t.equal(await typeOf(trapping, 'echo hi\n'), 'command', 'the grammar that has trapped');
    t.equal(await typeOf(go, 'package main\n'), 'package_clause', 'another grammar');
  }
  const [first, trap, second] = await Promise.allSettled([
    typeOf(bash, CASE),
    typeOf(trapping, CASE),
    typeOf(go, 'package main\n'),
  ]);
  t.match(
    [first, trap, second],
    [{ value: 'case_statement' }, { status: 'rejected' }, { value: 'package_clause' }],
  );
});

t.test('memory of instances that have trapped is freed', async (t) => {
  const parsers = await createParsers();
  const trap = () => parsers.parse(trapping, CASE, limits, () => {});
  for (let time = 0; time < 60; time++) await t.rejects(trap());
  const megabytes = process.memoryUsage().rss / 1e6;
  t.comment(`${Math.round(megabytes)} MB`);
  t.ok(megabytes < 60 * 32, 'an instance takes 32 MB or more');
});

t.test('a shell script with `case` is chunked, and so is what comes after it', async (t) => {
  const { chunk, post } = await startServer(t, { plugins: ['code', 'character'] });
  for (const text of ['echo hi\n', CASE, 'echo hi\n', CASE]) {
    t.same(
      (await chunk('code', { language: 'bash', text })).map((one) => one.text),
      [text],
    );
  }
  t.equal((await post('/v1/chunk/code', { language: 'auto', text: `#!/bin/bash\n${CASE}` })).status, 200);
});

for (const workers of [0, 1]) {
  t.test(`/metrics counts what a plugin failed, with ${workers} workers`, async (t) => {
    const body = `
      const { createParsers } = await import('${new URL('parsers.ts', SOURCE).href}');
      globalThis.parsers ??= await createParsers();
      const language = ${JSON.stringify(trapping)};
      await parsers.parse(language, text, { budget: 9000, signal: context.signal }, () => {});
      return text.includes('lost') ? [] : [{ start: 0, end: text.length }];`;
    const manifest = { guarantees: { lossless: true } };
    const pluginsDir = [await pluginsFolder(t, chunker('trapping', body, manifest))];
    const { post, get } = await startServer(t, { plugins: ['trapping', 'character'], pluginsDir, workers });
    const statusOf = async (text: string) => (await post('/v1/chunk/trapping', { text })).status;
    t.same([await statusOf('echo\n'), await statusOf(CASE), await statusOf('echo\n')], [200, 500, 200]);
    t.equal(await statusOf('lost\n'), 500);
    const metrics = (await get('/metrics')).bytes.toString();
    for (const error of ['plugin_failed', 'broken_promise']) {
      const line = `chunksmith_plugin_failures_total{kind="chunker",name="trapping",error="${error}"} 1\n`;
      t.ok(metrics.includes(line), line);
    }
  });
}
