import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { kit } from '../../../../core/kit.ts';
import { choose } from '../../../../plugins/chunkers/auto/choose.ts';
import type { Choice } from '../../../../plugins/chunkers/auto/manifest.ts';

const ROOT = join(import.meta.dirname, '../../../..');

const chosen = (text: string, filename?: string, mediaType?: string) =>
  choose({ text, filename, mediaType, isTolerant: false, isHere: () => true, kit });

/** Most files of an ending that are looked at. */
const MOST = 150;

const installed = globSync('node_modules/**/*.{md,html,json,js,ts,css,yaml}', { cwd: ROOT });

/** Files of installed packages with an ending, of 200 bytes to 300 kB. */
function filesNamed(ending: string): string[] {
  const all = installed.filter((file) => file.endsWith(`.${ending}`));
  const sized = all.filter((file) => {
    const stats = statSync(join(ROOT, file));
    return stats.isFile() && stats.size > 200 && stats.size < 300_000;
  });
  const step = Math.max(1, Math.floor(sized.length / MOST));
  return sized.filter((_, index) => index % step === 0);
}

/** What files of an ending are, and the least share of them that is told without their names. */
const KINDS: readonly (readonly [Choice, ending: string, least: number])[] = [
  ['markdown', 'md', 0.9],
  ['html', 'html', 0.95],
  ['json', 'json', 0.97],
  ['code', 'js', 0.95],
  ['code', 'ts', 0.8],
  ['code', 'css', 0.9],
  ['code', 'yaml', 0.9],
];

for (const [choice, ending, least] of KINDS) {
  t.test(`real files are told without their names: .${ending} is ${choice}`, async (t) => {
    const files = filesNamed(ending);
    const right = files.filter((file) => chosen(readFileSync(join(ROOT, file), 'utf8')) === choice);
    t.ok(files.length > 0 && right.length >= least * files.length, `${right.length} of ${files.length}`);
  });
}

const SHORT: readonly (readonly [Choice, string])[] = [
  ['recursive', 'A question?'],
  ['recursive', 'Note: this works.'],
  ['recursive', 'Roses are red,\nviolets are blue,\nsugar is sweet,\nand so are you.'],
  ['recursive', '“Where?” he asked.\n\n"There," she said (and pointed).'],
  ['recursive', '漢字。これはペンです。\n\n😀'],
  ['recursive', '[1] is a number in brackets'],
  ['json', '  [1, 2]\n'],
  ['json', '{"a": 1}\n{"a": 2}\n'],
  ['table', 'a\tb\n1\t2\n3\t4'],
  ['table', 'name;note\n"x; y";"two\nlines"\nz;w\n'],
  ['table', '| a | b |\n| - | - |\n| 1 | 2 |\n'],
  ['table', ' <table><tr><td>1</table>\n'],
  ['html', '<div><p>One.</p><p>Two.</p></div>'],
  ['markdown', 'See [this](https://example.org) and **that**.'],
  ['markdown', 'Run it:\n\n```js\nconst a = 1;\n```\n'],
  ['code', '#!/bin/sh\necho tea\n'],
  ['code', '<?php echo 1;'],
  ['code', 'const a = 1;\nconst b = a + 1;\n'],
  ['code', 'body{color:red}p{margin:0}'],
];

for (const [choice, text] of SHORT) {
  t.equal(chosen(text), choice, JSON.stringify(text.slice(0, 40)));
}

t.test('names and media types decide where they say something', async (t) => {
  t.equal(chosen('x', 'a.py'), 'code');
  t.equal(chosen('x', 'a.md', 'text/html'), 'html', 'the media type first');
  t.equal(chosen('x', 'a.md', 'text/plain'), 'markdown');
  t.equal(chosen('x', 'folder.md/notes'), 'recursive', 'the ending of a folder says nothing');
  t.equal(chosen('{"a": 1}', undefined, 'application/geo+json'), 'json');
  t.equal(chosen('{"a": 1', 'a.json'), 'code', 'not valid');
});
