import t from 'tap';
import { importsOf, packageOf } from './import-scanner.ts';

const COMMENTS = `
// import a from 'a';
/* import b from 'b'; */
const c = 1; // await import('c')
/** import('d'), import.meta.resolve('e'), require.resolve('f'), require('g') */
`;

const found = (source: string) => importsOf(source).map(({ kind, specifier }) => `${kind} ${specifier}`);

t.test('what is imported when the file is loaded is static', async (t) => {
  for (const source of [
    "import x from 'x';",
    "export * from 'x';",
    // Only types are left of it, and Node strips those alone.
    "import { type A } from 'x';",
  ])
    t.same(found(source), ['static x'], source);
});

t.test('what vanishes with the types is told apart', async (t) => {
  for (const source of [
    "import type X from 'x';",
    "export type { X } from 'x';",
    "let a: typeof import('x');",
  ])
    t.same(found(source), ['type x'], source);
  t.same(found("import type { A } from 'x'; import { b } from 'x';"), ['type x', 'static x']);
});

t.test('what is looked for when the code runs is lazy', async (t) => {
  for (const source of [
    "const a = await import('x');",
    "(await import('x')).a;",
    'import(`x`);',
    "import(/* why */ 'x');",
    "import.meta.resolve('x');",
    "require.resolve('x').slice(1);",
    "createRequire(import.meta.url).resolve('x');",
    "const a = require('x');",
    "createRequire(createRequire(import.meta.url).resolve('x'));",
  ])
    t.same(found(source), ['lazy x'], source);
});

t.test('of a template literal, the part before what is computed counts', async (t) => {
  t.same(found(`import.meta.resolve(\`x/y/\${name}.json\`);`), ['lazy x/y/']);
});

t.test('comments, strings, templates and patterns import nothing', async (t) => {
  t.same(importsOf(COMMENTS), []);
  for (const source of [
    `const text = "import a from 'a'; require('b')";`,
    "const text = `\nimport a from 'a';\nawait import('b')\n`;",
    "const pattern = /import\\('a'\\)/; const quote = /['\"`]/;",
  ]) {
    t.same(importsOf(source), [], source);
  }
  const source = "const quote = /['\"`]/;\nimport x from 'x'; // and 'y'";
  t.same(found(source), ['static x'], 'what follows counts');
  t.same(found(`const a = \`\${await import('x')}\`;`), ['lazy x'], 'code in a template is code');
});

t.test('methods of these names are no imports', async (t) => {
  t.same(importsOf("registry.require('x'); Promise.resolve('y'); scope.resolve('z'); mine.import('q');"), []);
  t.same(importsOf('const a = { require(kind: Kind, name: string): string { return name; } };'), []);
});

t.test('the package of a specifier', async (t) => {
  for (const specifier of ['x', 'x/y/z.js']) t.equal(packageOf(specifier), 'x');
  for (const specifier of ['@a/b', '@a/b/c']) t.equal(packageOf(specifier), '@a/b');
  for (const specifier of ['./x', '../x', '/x', 'node:fs', 'file:///x', 'data:text/plain,x'])
    t.equal(packageOf(specifier), undefined, specifier);
});
