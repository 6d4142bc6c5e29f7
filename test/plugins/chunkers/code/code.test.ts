import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import t from 'tap';
import { createChunker } from '../../../../plugins/chunkers/code/index.ts';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import manifest from '../../../../plugins/chunkers/code/manifest.ts';
import { createParsers } from '../../../../plugins/chunkers/code/parsers.ts';
import { testClusters } from '../scripts.ts';
import SAMPLES from './samples.json' with { type: 'json' };
import { type CodeChunk, type CodeNode, chunk, joined, sampleOf } from './support/ask.ts';

/** What the samples hold, checked by hand: lines, type, name and scope. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = SAMPLES;

const VARIANTS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with CRLF': (text) => text.replaceAll('\n', '\r\n'),
  'with tabs': (text) => text.replaceAll(/^ {2,}/gm, (spaces) => '\t'.repeat(Math.ceil(spaces.length / 4))),
};
/** Their grammars give white space at the beginning of a line a meaning that tabs do not have. */
const WITHOUT_TABS = ['yaml', 'markdown'];
/** Values of chunk_size by those of oversize: of the text as it is, and of the others. */
const LIMITS = { keep: [1, 60, 512], split: [1, 60] };
const FEW_LIMITS = { keep: [1], split: [60] };

const show = ({ start_line, end_line, type, name = '', scope = [] }: CodeNode) => {
  const where = scope.length > 0 ? `in ${scope.join(' > ')}` : '';
  return [`${start_line}-${end_line}`, type, name, where].filter(Boolean).join(' ');
};

for (const { name: language, units } of LANGUAGES) {
  const expected = EXPECTED[language] as string[];
  for (const [variant, change] of Object.entries(VARIANTS)) {
    if (variant === 'with tabs' && WITHOUT_TABS.includes(language)) continue;
    const sample = sampleOf(language);
    const text = change(sample);
    t.test(`${language} ${variant}`, async (t) => {
      const limits = text === sample ? LIMITS : FEW_LIMITS;
      for (const [oversize, sizes] of Object.entries(limits)) {
        for (const chunk_size of sizes) {
          const chunks = await chunk(text, { language, oversize, chunk_size, include_nodes: true });
          const isWithin = chunks.every((one) => one.token_count <= chunk_size);
          t.equal(joined(chunks), text, `${oversize} ${chunk_size}: nothing is lost`);
          t.ok(oversize === 'keep' || isWithin, `${oversize} ${chunk_size}: within the limit`);
          t.same(misplacedIn(text, chunks), [], `${oversize} ${chunk_size}: nodes are where they say`);
        }
      }
      t.ok(expected.length > 2, 'there is a sample');
      if (text === sample) t.same((await nodesOf(text, language, 60)).map(show), expected, 'names and lines');
      const unitsOf = async (source: string) =>
        (await nodesOf(source, language, 1)).filter(({ type }) => type in units).map(show);
      t.same(await unitsOf(text), await unitsOf(sample), 'units');
      const broken = await brokenUnits(text, language, Object.keys(units), expected);
      t.same(broken, [], 'no unit is broken at chunk_size 1');
    });
  }
}

async function nodesOf(text: string, language: string, chunk_size: number): Promise<CodeNode[]> {
  const chunks = await chunk(text, { language, chunk_size, include_nodes: true });
  return chunks.flatMap(({ nodes = [] }) => nodes);
}

/** Nodes that are not within their chunk, or not in the line that they say. */
function misplacedIn(text: string, chunks: readonly CodeChunk[]): CodeNode[] {
  const points = Array.from(text);
  const lineOf = (index: number) => points.slice(0, index).join('').split('\n').length;
  return chunks.flatMap(({ nodes = [], start_index, end_index }) =>
    nodes.filter(
      (node) =>
        node.start_index < start_index ||
        node.end_index > end_index ||
        lineOf(node.start_index) !== node.start_line,
    ),
  );
}

/** The units of the list that no chunk holds whole. */
async function brokenUnits(
  text: string,
  language: string,
  units: readonly string[],
  list: readonly string[],
) {
  const lines = text.split(/(?<=\n)/);
  const types = new Set(units.map((unit) => unit.split(':')[0]));
  const chunks = await chunk(text, { language, chunk_size: 1 });
  return list.filter((entry) => {
    const [, first, last, type = ''] = /^(\d+)-(\d+) (\w+)/.exec(entry) ?? [];
    if (!types.has(type) || (language === 'elixir' && !/^\S+ call [a-zß-ü]+ in/.test(entry))) return false;
    const whole = lines.slice(Number(first) - 1, Number(last)).join('');
    return !chunks.some((one) => one.text.includes(whole.trim()));
  });
}

const TOGETHER = {
  python: [
    '# Reads what there is.\n# Two lines of comment.\ndef read(',
    '@property\n@os.path.cached(size=1)\ndef',
  ],
  rust: ['/// A parser.\n#[derive(Debug, Clone)]\npub struct', '#[test]\nfn works'],
  go: ['// New makes one.\nfunc New'],
  java: ['/** A parser. */\n@Deprecated\npublic class'],
  typescript: ["// Decorated.\n@Component({ selector: 'x' })\nexport class"],
  haskell: ['add :: Int -> Int -> Int\nadd 0 b'],
  dart: ['int add(int a, int b) {\n  return a + b;\n}'],
};

t.test('comments, decorators and attributes stay with what they describe', async (t) => {
  for (const [language, together] of Object.entries(TOGETHER)) {
    const chunks = await chunk(sampleOf(language), { language, chunk_size: 1 });
    const torn = together.filter((text) => !chunks.some((one) => one.text.includes(text)));
    t.same(torn, [], language);
  }
  const ruby = await chunk(sampleOf('ruby'), { language: 'ruby', chunk_size: 30 });
  t.ok(ruby.at(-1)?.text.endsWith('add(1, 2) # trailing note\n'), 'a comment behind code stays with it');
  const f = '# Of f.\ndef f():\n    pass\n';
  const apart = await chunk(`# A licence.\n\n\n${f}`, { chunk_size: 1 });
  const isApart = apart.some(({ text }) => text === f);
  t.ok(isApart, 'a comment further above is another piece');
});

t.test('what is no function or class keeps the limit', async (t) => {
  const lines = Array.from({ length: 300 }, (_, index) => `    "key${index}": ${index},\n`);
  const chunks = await chunk(`DATA = {\n${lines.join('')}}\n\ndef f():\n    return DATA\n`, {
    chunk_size: 100,
  });
  t.ok(chunks.length > 30);
  for (const { text, token_count } of chunks) t.ok(token_count <= 100 && text.endsWith('\n'), text);
});

t.test('a sign that opens or closes something is no chunk of its own where it fits', async (t) => {
  const lines = Array.from({ length: 20 }, (_, at) => `    Line ${at} says something on the function.\n`);
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
      t.equal(joined(chunks), text, place);
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
  const aliases = { js: 'javascript', ts: 'typescript', py: 'python', 'c++': 'cpp', cs: 'csharp' };
  for (const [alias, language] of Object.entries({ ...aliases, golang: 'go', sh: 'bash', Rust: 'rust' })) {
    const text = sampleOf(language);
    t.same(await chunk(text, { language: alias }), await chunk(text, { language }), alias);
  }
  await t.rejects(chunk('a', { language: 'klingon' }), {
    code: 'invalid_parameters',
    detail: /^language: there is no language "klingon"; available: astro, bash, .*, zig and \w+\.$/,
  });
  for (const name of ['../python', 'constructor', '__proto__'])
    await t.rejects(chunk('a', { language: name }), { code: 'invalid_parameters' });
  t.match(manifest.summary, /bash, c, cpp/);
});

t.test('a parse over its budget is cut at lines, and the header says so', async (t) => {
  const chunker = createChunker(await createParsers(), () => 0);
  const text = 'def f():\n    pass\n'.repeat(20_000);
  const reports: string[] = [];
  const report = (name: string, value: string) => reports.push(`${name} ${value}`);
  const divide = () => [{ start: 0, end: text.length }];
  const spans = await chunker.chunk(
    text,
    {
      chunk_size: 100,
      language: 'python',
      filename: null,
      include_nodes: false,
      oversize: 'keep',
      separate_functions: false,
    },
    { report, signal: new AbortController().signal, document: {}, divide } as never,
  );
  t.same(reports, ['code-fallback lines']);
  t.equal(spans.at(-1)?.end, text.length);
});

t.test('the same text is cut the same way however slow the machine is', async (t) => {
  const prose = readFileSync(join(import.meta.dirname, '../../../../CHANGELOG.md'), 'utf8');
  const chunks = await chunk(prose, { chunk_size: 500 });
  // Between two looks at the clock, an hour passes.
  let now = performance.now();
  t.intercept(performance, 'now', { value: () => (now += 3_600_000) });
  t.same(await chunk(prose, { chunk_size: 500 }), chunks);
});

t.test('whatever it is given, it answers', async (t) => {
  const options = (language: string) => ({ language, chunk_size: 100, include_nodes: true });
  for (const { name: language } of LANGUAGES) {
    const text = sampleOf(language);
    const holds = fc.asyncProperty(fc.nat(text.length), async (length) => {
      const head = text.slice(0, length).toWellFormed();
      const chunks = await chunk(head, options(language));
      if (head.trim() !== '') assert.equal(joined(chunks), head);
    });
    await fc.assert(holds, { numRuns: 5 });
    const wrong = sampleOf(language === 'python' ? 'cpp' : 'python');
    t.equal(joined(await chunk(wrong, options(language))), wrong, `${language}: another language`);
  }
  const garbage = Array.from({ length: 4000 }, (_, index) => String.fromCharCode((index * 7919) % 256));
  for (const [text, ...languages] of [
    [garbage.join(''), 'javascript', 'json', 'python', 'cpp'],
    ['['.repeat(10_000) + ']'.repeat(10_000), 'json', 'python'],
    ['['.repeat(5000) + ']'.repeat(5000), 'javascript', 'cpp'],
    ['{'.repeat(10_000), 'javascript', 'json', 'python', 'cpp'],
    ['function f(a){return a+1};f(1);var x={a:1,b:[1,2]};'.repeat(10_000), 'javascript'],
  ] as const) {
    for (const language of languages) {
      const chunks = await chunk(text, { ...options(language), include_nodes: false });
      t.ok(joined(chunks) === text, `${text.slice(0, 20)} as ${language}`);
    }
  }
});

testClusters(t, 'code', { language: 'python', oversize: 'split' }, 's = "%"\n');
