import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { choose } from '../../../../plugins/chunkers/auto/choose.ts';
import type { Choice } from '../../../../plugins/chunkers/auto/manifest.ts';
import SHORT_TEXTS from './short-texts.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../../../..');

const chosen = (text: string, filename?: string, mediaType?: string) =>
  choose({ text, filename, mediaType, isTolerant: false, isHere: () => true });

/** Most files of an ending that are looked at. */
const MAX_FILES = 150;

const installed = globSync('node_modules/**/*.{md,html,json,js,ts,css,yaml}', { cwd: ROOT });

/** Files of installed packages with an ending, of 200 bytes to 300 kB. */
function filesNamed(ending: string): string[] {
  const all = installed.filter((file) => file.endsWith(`.${ending}`));
  const sized = all.filter((file) => {
    const stats = statSync(join(ROOT, file));
    return stats.isFile() && stats.size > 200 && stats.size < 300_000;
  });
  const step = Math.max(1, Math.floor(sized.length / MAX_FILES));
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

for (const [choice, texts] of Object.entries(SHORT_TEXTS)) {
  for (const text of texts) t.equal(chosen(text), choice, JSON.stringify(text.slice(0, 40)));
}

t.test('names and media types decide where they say something', async (t) => {
  t.equal(chosen('x', 'a.py'), 'code');
  t.equal(chosen('x', 'a.md', 'text/html'), 'html', 'the media type first');
  t.equal(chosen('x', 'a.md', 'text/plain'), 'markdown');
  t.equal(chosen('x', 'folder.md/notes'), 'recursive', 'the ending of a folder says nothing');
  t.equal(chosen('{"a": 1}', undefined, 'application/geo+json'), 'json');
  t.equal(chosen('{"a": 1', 'a.json'), 'code', 'not valid');
  t.equal(chosen('x', 'a.PATCH'), 'diff');
  t.equal(chosen('x', 'a', 'text/x-diff'), 'diff');
  t.equal(chosen('x', 'a.log'), 'log');
  t.equal(chosen('{"level": 30}\n{"level": 40}\n', 'a.log'), 'json');
});

t.test('a byte order mark changes no choice', async (t) => {
  for (const [choice, texts] of Object.entries(SHORT_TEXTS))
    for (const text of texts)
      t.equal(chosen(`\ufeff${text}`), choice, `marked ${JSON.stringify(text.slice(0, 40))}`);
  for (const text of ['{"a": 1}', ' [1, 2]', '{"a": 1}\n{"a": 2}\n'])
    for (const name of [undefined, 'a.json', 'a.jsonl', 'a.log'])
      t.equal(chosen(`\ufeff${text}`, name), 'json', `marked ${text} ${name}`);
});

t.test("Excel's line with the delimiter does not hide a table", async (t) => {
  for (const line of ['sep=;', '"sep=;"', '\ufeffsep=;', 'sep=;;;'])
    t.equal(chosen(`${line}\r\na;b;c\r\n1;2;3\r\n4;5;6\r\n`), 'table', line);
});

t.test('a mailbox and a letter are mail by their names and media types, whatever is in them', async (t) => {
  const letter = 'From: Ada <ada@example.org>\nSubject: # Tea\n\n# Boil\n\n- water\n';
  for (const name of ['a.mbox', 'a.MBX', 'box/a.eml']) t.equal(chosen(letter, name), 'mail', name);
  for (const type of ['message/rfc822', 'application/mbox'])
    t.equal(chosen(letter, undefined, type), 'mail', type);
});

t.test('XML is XML by its declaration, document type, name or media type', async (t) => {
  const declared = '<?xml version="1.0"?>\n<a><b/></a>';
  for (const name of [undefined, 'de.ts', 'a.xml', 'a.tsx', 'a.txt', 'a.json', 'a.md', 'a'])
    t.equal(chosen(declared, name), 'xml', name ?? 'no name');
  t.equal(chosen(`\ufeff\n <!DOCTYPE TS>\n<TS><context/></TS>`, 'de.ts'), 'xml');
  t.equal(chosen('export const a = <T>(b: T) => b;\n', 'de.ts'), 'code');
  for (const name of 'a.csproj a.xaml a.svg a.dita a.tei pom.xml a.resx a.xlf a.xsl'.split(' '))
    t.equal(chosen('<a>\n  <b/>\n</a>\n', name), 'xml', name);
  for (const type of ['text/xml', 'application/xml', 'image/svg+xml', 'application/rss+xml'])
    t.equal(chosen('<a/>', undefined, type), 'xml', type);
  t.equal(chosen('<plist version="1.0"><dict/></plist>', 'a.plist'), 'xml');
  t.equal(chosen('<project xmlns="http://maven.apache.org/POM/4.0.0"><a/></project>'), 'xml');
  t.not(chosen('a = 1\nb = 2\n', 'a.props'), 'xml', 'a name alone says nothing about a text without tags');
  const page = '<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>';
  t.equal(chosen(`<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x" "y">\n${page}`), 'html');
  t.equal(chosen(`<?xml version="1.0"?><!-- a -->${page}`, 'a.xhtml', 'application/xhtml+xml'), 'html');
  t.equal(chosen('<?xml version="1.0"?>\n<a><?php echo 1 ?></a>', 'a.php'), 'code');
});
