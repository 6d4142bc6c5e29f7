import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { createChunker } from '../../../../plugins/chunkers/code/index.ts';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import manifest from '../../../../plugins/chunkers/code/manifest.ts';
import { createParsers } from '../../../../plugins/chunkers/code/parsers.ts';
import { metadataOf } from '../../../../server/service/response-metadata.ts';
import { startServer } from '../../../support/server.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';

const FOLDER = join(import.meta.dirname, 'samples');
/** What the samples hold, checked by hand: lines, type, name and scope. */
const EXPECTED = JSON.parse(readFileSync(`${FOLDER}.json`, 'utf8')) as Record<string, string[]>;
const { service } = await composeQuietly({ plugins: ['code', 'character'] });

interface CodeNode {
  readonly type: string;
  readonly name?: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_index: number;
  readonly end_index: number;
  readonly scope?: readonly string[];
}

interface CodeChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  readonly nodes?: readonly CodeNode[];
}

async function ask(text: string | string[], options: object = {}) {
  const { bytes, reported } = await runTask(service, { run: 'chunk', name: 'code' }, { text, ...options });
  return { answer: JSON.parse(Buffer.from(bytes).toString()), metadata: metadataOf(reported) };
}

const chunk = async (text: string, options: object = {}): Promise<CodeChunk[]> =>
  (await ask(text, options)).answer;

const sampleOf = (language: string) => readFileSync(join(FOLDER, `${language}.txt`), 'utf8');

const VARIANTS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with CRLF': (text) => text.replaceAll('\n', '\r\n'),
  'with tabs': (text) => text.replaceAll(/^ {2,}/gm, (spaces) => '\t'.repeat(Math.ceil(spaces.length / 4))),
};
/** Their grammars give white space at the beginning of a line a meaning that tabs do not have. */
const WITHOUT_TABS = ['yaml', 'markdown'];

const show = ({ start_line, end_line, type, name, scope }: CodeNode) =>
  [
    `${start_line}-${end_line}`,
    type,
    ...(name ? [name] : []),
    ...(scope ? [`in ${scope.join(' > ')}`] : []),
  ].join(' ');

for (const { name: language, units } of LANGUAGES) {
  t.test(language, async (t) => {
    const expected = EXPECTED[language] as string[];
    t.ok(expected.length > 2, 'there is a sample');
    for (const [variant, change] of Object.entries(VARIANTS)) {
      if (variant === 'with tabs' && WITHOUT_TABS.includes(language)) continue;
      const text = change(sampleOf(language));
      const points = Array.from(text);
      for (const oversize of ['keep', 'split']) {
        for (const chunk_size of [1, 60, 512]) {
          const chunks = await chunk(text, { language, chunk_size, oversize, include_nodes: true });
          const place = `${variant}, ${oversize}, ${chunk_size}`;
          t.equal(chunks.map((one) => one.text).join(''), text, `${place}: nothing is lost`);
          if (oversize === 'split')
            t.ok(
              chunks.every((one) => one.token_count <= chunk_size),
              `${place}: within the limit`,
            );
          for (const { nodes = [], start_index, end_index } of chunks) {
            for (const node of nodes) {
              const isInside = node.start_index >= start_index && node.end_index <= end_index;
              const before = points.slice(0, node.start_index).join('').split('\n').length;
              if (!isInside || before !== node.start_line)
                t.fail(`${place}: ${JSON.stringify(node)} is misplaced`);
            }
          }
        }
      }
      if (variant === 'as it is') {
        const found = await nodesOf(text, language, 60);
        t.same(found.map(show), expected, 'names and lines');
      } else {
        const same = await nodesOf(sampleOf(language), language, 1);
        const isUnit = (node: CodeNode) => node.type in units;
        const found = await nodesOf(text, language, 1);
        t.same(found.filter(isUnit).map(show), same.filter(isUnit).map(show), `${variant}: units`);
      }
      const broken = await brokenUnits(text, language, Object.keys(units), expected);
      t.same(broken, [], `${variant}: no unit is broken at chunk_size 1`);
    }
  });
}

async function nodesOf(text: string, language: string, chunk_size: number): Promise<CodeNode[]> {
  return (await chunk(text, { language, chunk_size, include_nodes: true })).flatMap(
    ({ nodes = [] }) => nodes,
  );
}

/** The units of the list that no chunk holds whole. */
async function brokenUnits(
  text: string,
  language: string,
  units: readonly string[],
  expected: readonly string[],
) {
  const lines = text.split(/(?<=\n)/);
  const types = new Set(units.map((unit) => unit.split(':')[0]));
  const chunks = await chunk(text, { language, chunk_size: 1 });
  return expected.filter((entry) => {
    const [, first, last, type] = /^(\d+)-(\d+) (\w+)/.exec(entry) as unknown as [
      string,
      number,
      number,
      string,
    ];
    if (!types.has(type) || (language === 'elixir' && !/^\S+ call [a-zß-ü]+ in/.test(entry))) return false;
    const whole = lines
      .slice(first - 1, last)
      .join('')
      .trim();
    return !chunks.some((one) => one.text.includes(whole));
  });
}

t.test('comments, decorators and attributes stay with what they describe', async (t) => {
  for (const [language, ...together] of [
    [
      'python',
      '# Reads what there is.\n# Two lines of comment.\ndef read(',
      '@property\n@os.path.cached(size=1)\ndef',
    ],
    ['rust', '/// A parser.\n#[derive(Debug, Clone)]\npub struct', '#[test]\nfn works'],
    ['go', '// New makes one.\nfunc New'],
    ['java', '/** A parser. */\n@Deprecated\npublic class'],
    ['typescript', "// Decorated.\n@Component({ selector: 'x' })\nexport class"],
    ['haskell', 'add :: Int -> Int -> Int\nadd 0 b'],
    ['dart', 'int add(int a, int b) {\n  return a + b;\n}'],
  ] as const) {
    const chunks = await chunk(sampleOf(language), { language, chunk_size: 1 });
    for (const text of together)
      t.ok(
        chunks.some((one) => one.text.includes(text)),
        `${language}: ${text}`,
      );
  }
  const ruby = await chunk(sampleOf('ruby'), { language: 'ruby', chunk_size: 30 });
  t.ok(ruby.at(-1)?.text.endsWith('add(1, 2) # trailing note\n'), 'a comment behind code stays with it');
  const apart = await chunk('# A licence.\n\n\n# Of f.\ndef f():\n    pass\n', { chunk_size: 1 });
  t.ok(
    apart.some(({ text }) => text === '# Of f.\ndef f():\n    pass\n'),
    'a comment further above is another piece',
  );
});

t.test('what is no function or class keeps the limit', async (t) => {
  const text = `DATA = {\n${Array.from({ length: 300 }, (_, index) => `    "key${index}": ${index},\n`).join('')}}\n\ndef f():\n    return DATA\n`;
  const chunks = await chunk(text, { chunk_size: 100 });
  t.ok(chunks.length > 30);
  t.ok(chunks.every(({ token_count }) => token_count <= 100));
  t.ok(
    chunks.every((one) => one.text.endsWith('\n')),
    'and is cut at lines',
  );
});

t.test('a sign that opens or closes something is no chunk of its own where it fits', async (t) => {
  const lines = Array.from(
    { length: 20 },
    (_, index) => `    Line ${index} says something on the function.\n`,
  );
  const many = lines.join('');
  for (const [language, text] of [
    ['python', `"""What it is.\n\n${many}"""\nimport os\n`],
    ['python', `class A:\n    """What it is.\n\n${many}    """\n\n    def f(self):\n        return 1\n`],
    ['markdown', `\`\`\`js\n${many}\`\`\`\n\nText.\n`],
    ['javascript', `const a = [\n${many.replace(/ {4}(.*)\n/g, '  "$1",\n')}];\nf(a);\n`],
  ] as const) {
    for (let chunk_size = 40; chunk_size <= 520; chunk_size += 20) {
      const chunks = await chunk(text, { language, chunk_size, oversize: 'split' });
      const place = `${language}, ${chunk_size}`;
      t.equal(chunks.map((one) => one.text).join(''), text, place);
      for (const [index, { text, token_count }] of chunks.entries()) {
        if (/[\p{L}\p{N}]/u.test(text)) continue;
        t.not(text.trim(), '"""', place);
        const around = [chunks[index - 1], chunks[index + 1]].map((one) => one?.token_count ?? chunk_size);
        t.ok(Math.min(...around) + token_count > chunk_size, `${place}: ${JSON.stringify(text)}`);
      }
    }
  }
});

t.test('names of languages', async (t) => {
  for (const [alias, language] of [
    ['js', 'javascript'],
    ['ts', 'typescript'],
    ['py', 'python'],
    ['c++', 'cpp'],
    ['cs', 'csharp'],
    ['golang', 'go'],
    ['sh', 'bash'],
    ['Rust', 'rust'],
  ] as const) {
    t.same(
      await chunk(sampleOf(language), { language: alias }),
      await chunk(sampleOf(language), { language }),
      alias,
    );
  }
  await t.rejects(chunk('a', { language: 'klingon' }), {
    code: 'invalid_parameters',
    detail: /^language: there is no language "klingon"; known are bash, .*, zig and \w+\.$/,
  });
  for (const name of ['../python', 'constructor', '__proto__'])
    await t.rejects(chunk('a', { language: name }), { code: 'invalid_parameters' });
  t.match(manifest.summary, /bash, c, cpp/);
});

t.test('the language is found', async (t) => {
  const named = async (text: string) => (await ask(text, { language: 'auto' })).metadata['code-language'];
  for (const { name } of LANGUAGES) t.equal(await named(sampleOf(name)), name);
  for (const [line, name] of [
    ['#!/bin/sh', 'bash'],
    ['#!/usr/bin/env python3', 'python'],
    ['#!/usr/bin/env -S node --test', 'javascript'],
    ['#!/usr/bin/perl -w', 'perl'],
    ['#!/usr/bin/ruby2.7', 'ruby'],
  ] as const) {
    t.equal(await named(`${line}\nx\n`), name, line);
  }
  t.equal(await named('no code at all'), 'python');
  t.equal(await named('#!/bin/constructor\nx\n'), 'bash', 'a program named like a member of every object');
  const { metadata } = await ask([sampleOf('go'), sampleOf('rust'), ' '], { language: 'auto' });
  t.equal(metadata['code-language'], 'go, rust, -');
});

t.test('a parse over its budget is cut at lines, and the header says so', async (t) => {
  const chunker = createChunker(await createParsers(), () => 0);
  const text = 'def f():\n    pass\n'.repeat(20_000);
  const reports: string[] = [];
  const spans = await chunker.chunk(
    text,
    { chunk_size: 100, language: 'python', filename: null, include_nodes: false, oversize: 'keep' },
    {
      report: (fact: string, value: string) => reports.push(`${fact} ${value}`),
      signal: new AbortController().signal,
      document: {},
      divide: () => [{ start: 0, end: text.length }],
    } as never,
  );
  t.same(reports, ['code-fallback lines']);
  t.equal(spans.at(-1)?.end, text.length);
});

t.test('whatever it is given, it answers', async (t) => {
  const options = (language: string) => ({ language, chunk_size: 100, include_nodes: true });
  for (const { name: language } of LANGUAGES) {
    const text = sampleOf(language);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), async (length) => {
        const head = Array.from(text.slice(0, length)).join('').toWellFormed();
        const chunks = await chunk(head, options(language));
        if (head.trim() !== '') assert.equal(chunks.map((one) => one.text).join(''), head);
      }),
      { numRuns: 10 },
    );
    const wrong = sampleOf(language === 'python' ? 'cpp' : 'python');
    t.equal(
      (await chunk(wrong, options(language))).map((one) => one.text).join(''),
      wrong,
      `${language}: another language`,
    );
  }
  const garbage = Array.from({ length: 20_000 }, (_, index) =>
    String.fromCharCode((index * 7919) % 256),
  ).join('');
  const hostile = {
    garbage,
    brackets: '['.repeat(10_000) + ']'.repeat(10_000),
    braces: '{'.repeat(10_000),
    minified: 'function f(a){return a+1};f(1);var x={a:1,b:[1,2]};'.repeat(100_000),
  };
  for (const [name, text] of Object.entries(hostile)) {
    for (const language of ['javascript', 'json', 'python', 'cpp']) {
      if (name === 'minified' && language !== 'javascript') continue;
      const chunks = await chunk(text, { ...options(language), include_nodes: false });
      t.ok(chunks.map((one) => one.text).join('') === text, `${name} as ${language}`);
    }
  }
});

t.test('memory after many documents is what it was after a few', async (t) => {
  const parsers = await createParsers();
  const python = LANGUAGES.find(({ name }) => name === 'python') as (typeof LANGUAGES)[number];
  const limits = { budget: 10_000, signal: new AbortController().signal };
  const text = sampleOf('python');
  const parseMany = async (count: number) => {
    for (let index = 0; index < count; index++) await parsers.parse(python, text, limits, () => {});
    return process.memoryUsage().rss;
  };
  const few = await parseMany(1000);
  const many = await parseMany(10_000);
  t.comment(`${few} bytes after 1,000 documents, ${many} after 11,000`);
  t.ok(many - few < 40 * 1024 * 1024);
});

t.test(
  'where memory is short, grammars take little of it at their peak too',
  { skip: process.platform !== 'linux' && 'the peak is read from /proc' },
  (t) => {
    const script = join(import.meta.dirname, 'support', 'parse-samples.ts');
    const texts = Object.fromEntries(['cpp', 'go', 'kotlin', 'ruby'].map((name) => [name, sampleOf(name)]));
    const { stdout, stderr } = spawnSync(process.execPath, [script, '4e9', JSON.stringify(texts)], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '' },
    });
    t.comment(`at most ${stdout.trim()} bytes`);
    t.match(stdout, /^\d+\n$/, stderr);
    t.ok(Number(stdout) < 500e6);
    t.end();
  },
);

t.test('the answer names language and fallback in headers', async (t) => {
  const { post } = await startServer(t, { plugins: ['code', 'character'] });
  const answer = await post('/v1/chunk/code', { text: sampleOf('go'), language: 'auto' });
  t.equal(answer.headers.get('x-code-language'), 'go');
  t.equal((await post('/v1/chunk/code', { text: 'x = 1\n' })).headers.get('x-code-language'), null);
  t.equal((await post('/v1/chunk/code', manifest.example)).status, 200);
});
