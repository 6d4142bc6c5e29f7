import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import t from 'tap';
import type { Node, Tree } from 'web-tree-sitter';
import { findLanguage, LANGUAGES, type Language } from '../../../../plugins/chunkers/code/languages.ts';
import { createParsers, fileOf, readGrammar } from '../../../../plugins/chunkers/code/parsers.ts';
import { chunker, pluginsFolder } from '../../../support/plugins.ts';
import { startServer } from '../../../support/server.ts';
import { ask, bash, CASE, chunk, joined, limits, sampleOf, trapping } from './support/ask.ts';

/** The part of WebAssembly that these tests need, of which the types of Node say nothing. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Module: Record<'imports' | 'exports', (module: object) => { kind: string; name: string }[]>;
};

const SOURCE = new URL('../../../../plugins/chunkers/code/', import.meta.url);
/** What only an assertion needs that never fails, or a C++ exception that is never thrown; both end in a trap. */
const UNREACHABLE: ReadonlySet<string> = new Set(['__assert_fail', 'abort']);

t.test('what the grammars import is exported by the binding or by themselves', async (t) => {
  const binding = createRequire(SOURCE).resolve('web-tree-sitter/tree-sitter.wasm');
  const common = exportsOf(await WebAssembly.compile(readFileSync(binding)));
  const missing = async (language: Language) => {
    const grammar = await WebAssembly.compile(await readGrammar(fileOf(language)));
    const known = new Set([...common, ...exportsOf(grammar)]);
    return WebAssembly.Module.imports(grammar)
      .filter(({ kind, name }) => kind === 'function' && !known.has(name) && !UNREACHABLE.has(name))
      .map(({ name }) => name);
  };
  for (const language of LANGUAGES) t.same(await missing(language), [], language.name);
  t.same(await missing(trapping), ['isalpha'], 'a grammar that lacks one is found out');
});

t.test('the bundled grammars are those whose hashes and licences are in their NOTICE', async (t) => {
  const folder = new URL('grammars/', SOURCE);
  const notice = readFileSync(new URL('NOTICE', folder), 'utf8');
  const files = LANGUAGES.filter(({ isBundled }) => isBundled).map(fileOf);
  const sums = files.map(async (file) => {
    const sum = createHash('sha256').update(await readGrammar(file));
    return `${sum.digest('hex')}  ${basename(file, '.br')}`;
  });
  const listed = notice.split('\n').filter((line) => line.endsWith('.wasm'));
  t.same(listed.sort(), (await Promise.all(sums)).sort());
  const others = readdirSync(folder).filter((name) => !files.some((file) => basename(file) === name));
  t.same(others, ['NOTICE'], 'there are no others');
});

function exportsOf(module: object): string[] {
  return WebAssembly.Module.exports(module).map(({ name }) => name);
}

/** What the grammars take for an error though it is none, by language: their gaps, for which there are no others. */
const GAPS: Readonly<Record<string, readonly string[]>> = {
  kotlin: [','],
  swift: ['#available', '13'],
};

t.test('each construct of the thirty languages is parsed without an error or a loss', async (t) => {
  const parsers = await createParsers();
  for (const language of LANGUAGES) {
    const { name } = language;
    const text = sampleOf(name, 'constructs');
    const errors = await parsers.parse(language, text, limits, (tree) => errorsIn((tree as Tree).rootNode));
    t.same(errors, GAPS[name] ?? [], name);
    const chunks = await chunk(text, { language: name, chunk_size: 100, oversize: 'split' });
    t.equal(joined(chunks), text, `${name}: nothing is lost`);
    t.ok(
      chunks.every(({ token_count }) => token_count <= 100),
      `${name}: within the limit`,
    );
  }
});

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
  for (let time = 0; time < 2; time++) {
    await t.rejects(typeOf(trapping, CASE), { name: 'TypeError' });
    t.equal(await typeOf(trapping, 'echo hi\n'), 'command', 'the grammar that has trapped');
    t.equal(await typeOf(go, 'package main\n'), 'package_clause', 'another grammar');
  }
  const all = [typeOf(bash, CASE), typeOf(trapping, CASE), typeOf(go, 'package main\n')];
  const expected = [{ value: 'case_statement' }, { status: 'rejected' }, { value: 'package_clause' }];
  t.match(await Promise.allSettled(all), expected);
});

t.test('a shell script with `case` is chunked, and so is what comes after it', async (t) => {
  for (const text of ['echo hi\n', CASE, 'echo hi\n', CASE])
    t.match(await chunk(text, { language: 'bash' }), [{ text }]);
  t.equal((await ask({ language: 'auto', text: `#!/bin/bash\n${CASE}` })).language, 'bash');
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
