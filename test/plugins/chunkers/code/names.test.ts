import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import { withoutMacros } from '../../../../plugins/chunkers/code/macros.ts';
import { type CodeNode, chunk, joined } from './support/ask.ts';

const FOLDER = join(import.meta.dirname, 'names');
/** A text, and after `=>` the names of its nodes that have one, with their scopes. */
const FORM = /([\s\S]*?)^=> ?(.*)\n+/gm;

const formsOf = (language: string) =>
  [...readFileSync(join(FOLDER, `${language}.txt`), 'utf8').matchAll(FORM)].map(
    ([, code = '', names = '']) => {
      return { code, names: names.trim() };
    },
  );

const optionsOf = (language: string) => ({ language, include_nodes: true, oversize: 'members' });

async function nodesOf(text: string, options: object): Promise<CodeNode[]> {
  return (await chunk(text, options)).flatMap(({ nodes = [] }) => nodes);
}

const shown = (nodes: readonly CodeNode[]) =>
  nodes
    .filter(({ name }) => name !== undefined)
    .map(({ name, scope = [] }) => [...scope, name].join(' > '))
    .join(', ');

for (const language of readdirSync(FOLDER).map((file) => file.replace('.txt', '')))
  t.test(`names in ${language}`, async (t) => {
    const forms = formsOf(language);
    t.ok(forms.length >= 10);
    for (const { code, names } of forms)
      t.equal(shown(await nodesOf(code, { ...optionsOf(language), chunk_size: 512 })), names, code);
  });

t.test('nodes are in the order of the text, apart from each other, and nothing is lost', async (t) => {
  for (const file of readdirSync(FOLDER)) {
    const language = file.replace('.txt', '');
    const text = formsOf(language)
      .map(({ code }) => code)
      .join('\n');
    for (const chunk_size of [16, 4096]) {
      const chunks = await chunk(text, { ...optionsOf(language), chunk_size });
      t.equal(joined(chunks), text);
      let last = 0;
      for (const { start_index, end_index } of chunks.flatMap(({ nodes = [] }) => nodes)) {
        t.ok(start_index >= last && end_index > start_index, `${language} ${chunk_size} ${start_index}`);
        last = end_index;
      }
    }
  }
});

t.test('a class that is not cut says what is in it', async (t) => {
  const texts = {
    cpp: 'class Cart {\npublic:\n  void add() { x(); }\n  struct Item { int id; };\n  int size() const { return 1; }\n};\n',
    python:
      'class Cart:\n    def add(self):\n        def inner(): pass\n    class Item: pass\n    def size(self): pass\n',
    java: 'class Cart {\n  void add() {}\n  class Item {}\n  int size() { return 1; }\n}\n',
    csharp: 'class Cart\n{\n  void add() {}\n  class Item {}\n  int size() => 1;\n}\n',
    typescript: 'class Cart {\n  add() {}\n  Item = () => 1;\n  get size() { return 1; }\n}\n',
    ruby: 'class Cart\n  def add; end\n  class Item\n  end\n  def size; end\nend\n',
    rust: 'impl Cart {\n  fn add() {}\n  fn Item() {}\n  fn size() {}\n}\n',
  };
  for (const [language, text] of Object.entries(texts)) {
    const [whole] = await nodesOf(text, { ...optionsOf(language), chunk_size: 512 });
    t.same(
      [whole?.name, (whole as { members?: unknown })?.members],
      ['Cart', ['add', 'Item', 'size']],
      language,
    );
    const cut = await nodesOf(text, { ...optionsOf(language), chunk_size: 14 });
    t.notOk(
      cut.some((node) => node.name === 'Cart' && 'members' in node),
      `${language}: cut`,
    );
  }
});

t.test('what a container that is cut holds has the names that it has uncut', async (t) => {
  const texts = {
    cpp: '#ifndef CART_H\n#define CART_H\nint a(int x);\nclass B { int x; };\nint c() { return 1; }\n#endif\n',
    javascript: "describe('d', () => {\n  it('a', () => { run(); });\n  it('b', () => { run(); });\n});\n",
    ruby: "describe 'd' do\n  it 'a' do\n    run\n  end\n  it 'b' do\n    run\n  end\nend\n",
  };
  for (const [language, text] of Object.entries(texts)) {
    const named = async (chunk_size: number) =>
      shown(await nodesOf(text, { ...optionsOf(language), chunk_size }));
    t.equal(await named(30), await named(512), language);
  }
});

t.test('a text without macros is as long as before, with its lines', (t) => {
  for (const language of ['c', 'cpp'])
    for (const { code } of formsOf(language))
      for (const text of [code, code.replaceAll('\n', '\r\n')]) {
        const masked = withoutMacros(text);
        t.equal(masked.length, text.length, code);
        t.equal(masked.replace(/[^\r\n]/g, ''), text.replace(/[^\r\n]/g, ''), code);
      }
  t.end();
});

t.test('code without macros is parsed as it is', (t) => {
  const text = [
    'struct point p = { 1 };\nstruct point *f(struct point *q) { return q; }\nenum color c;\n',
    'UINT FOO(void) { return BAR(1); }\nint x = A(1)\n  + B(2);\nreturn FOO(a);\n',
    'int\nmain(argc, argv)\n  int argc;\n{\n#if A\n  if (a) { b(); }\n#else\n  c();\n#endif\n}\n',
    'enum class Color : int { Red };\nclass A final : public B { };\n',
  ].join('');
  t.equal(withoutMacros(text), text);
  t.end();
});

t.test('texts that look like macros are read in linear time', async (t) => {
  const texts = [
    'A',
    'A ',
    'A(',
    'class ',
    'class A ',
    'a::',
    '#if\n',
    '{',
    'A(\n',
    ' ',
    '/*',
    '"',
    '#if {\n',
    'a * ',
  ];
  for (const part of texts) t.equal(withoutMacros(part.repeat(20_000)).length, part.length * 20_000, part);
  const word = 'a'.repeat(10_000_000);
  t.equal(withoutMacros(`int ${word}(int x) { ${word} }`).length, 2 * word.length + 16);
  t.end();
});

t.test('each language with functions has forms', (t) => {
  const without = ['css', 'html', 'json', 'markdown', 'toml', 'yaml'];
  const files = readdirSync(FOLDER).map((file) => file.replace('.txt', ''));
  const missing = LANGUAGES.map(({ name }) => name).filter((name) => !files.includes(name));
  t.same(missing, without);
  t.end();
});
