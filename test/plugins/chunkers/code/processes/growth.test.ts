import t from 'tap';
import { checkLinearChunker, repeated, type Shapes } from '../../../../support/linear-work.ts';
import { HOSTILE_SHAPES, optionsFor } from '../hostile-shapes.ts';

/** A text with something in the middle of what is opened and closed so often that it has a length. */
const nested =
  (open: string, middle: string, close: string) =>
  (length: number): string => {
    const depth = Math.floor((length - middle.length) / (open.length + close.length));
    return open.repeat(depth) + middle + close.repeat(depth);
  };

const SHAPES: Shapes = {
  ...repeated(
    'function f(a) { return a + 1; }\n',
    '// A comment.\nfunction f() {}\n',
    'class A { m() { return 1; } n = 2; }\n',
    '@x @y class A {}\n',
    'f(() => { g(1); });\n',
    'export const a = () => 1, b = () => 2;',
    '{};',
  ),
  'one class': (length) => `class A {\n${'  m() { return 1; }\n'.repeat(length / 19)}}\n`,
  'one function': (length) => `function f() {\n${'  g(() => 1);\n'.repeat(length / 13)}}\n`,
  'a comment before a function': (length) => `${'// x\n'.repeat(length / 5)}function f() {}\n`,
  'nested functions': nested('function f() {\n', 'g();\n', '}\n'),
  'nested classes': nested('class A { m = ', '1', '; }'),
  'nested arrows': nested('a => ', 'a', ''),
};

t.test('work grows with the text, not faster', { timeout: 600_000 }, async (t) => {
  const requests = [3, 100].map((chunk_size) => ({ chunk_size, oversize: 'members', include_nodes: true }));
  const shapes = { ...SHAPES, ...HOSTILE_SHAPES };
  const languageOf = (shape: string) => (shape in SHAPES ? { language: 'javascript' } : optionsFor(shape));
  await checkLinearChunker(t, 'code', shapes, requests, languageOf);
});
