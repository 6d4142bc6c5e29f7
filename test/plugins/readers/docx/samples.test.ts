import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import createReader from '../../../../plugins/readers/docx/index.ts';
import { unzip } from '../../../../plugins/toolkit/office/zip.ts';
import { createRandom } from '../../../support/random.ts';
import { zipOf } from '../../toolkit/office/zip-files.ts';
import { readWith } from '../reading.ts';

/**
 * Real documents, against the Markdown that docling makes of them. Those of a folder, each with docling's Markdown in
 * `NAME.docx.md`, are compared with `DOCX_SAMPLES=folder`.
 */

const FOLDER = process.env.DOCX_SAMPLES ?? join(import.meta.dirname, '../../../fixtures/docx');
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.docx'));
const bytesOf = (name: string): Buffer => readFileSync(join(FOLDER, name));
const MIN_MEDIAN = 0.96;

const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
const plain = (markdown: string): string =>
  markdown
    .replace(/<!--.*?-->|\]\([^)]*\)|\\(?:frac|left|right|sum|infty|pi|sqrt)\b|\\/g, ' ')
    .replace(/&(?:lt|gt|amp);/g, ' ');

/** The part of the other's words that a text has, each as often as it is there. */
function recall(text: string, other: string): number {
  const counts = new Map<string, number>();
  for (const word of wordsIn(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = wordsIn(plain(other));
  const found = words.filter((word) => {
    const left = counts.get(word) ?? 0;
    counts.set(word, left - 1);
    return left > 0;
  });
  return words.length === 0 ? 1 : found.length / words.length;
}

t.test('the words that docling finds are in the text', async (t) => {
  const scores: number[] = [];
  for (const name of NAMES.filter((one) => existsSync(join(FOLDER, `${one}.md`)))) {
    const { text } = await readWith(createReader, bytesOf(name));
    scores.push(recall(text, readFileSync(join(FOLDER, `${name}.md`), 'utf8')));
  }
  const median = scores.toSorted((a, b) => a - b)[Math.floor(scores.length / 2)] ?? 0;
  t.ok(median >= MIN_MEDIAN, `${median} of ${scores.length} files`);
});

t.test('documents of the tests of mammoth', { skip: process.env.DOCX_SAMPLES !== undefined }, async (t) => {
  for (const [name, text] of [
    ['footnotes', 'Ouch[^1].[^2]\n\n[^1]: A tachyon walks into a bar.\n\n[^2]: Fin.'],
    ['text-box', 'Datum plane'],
    ['tables', 'Above\n\n| Top left | Top right |\n| - | - |\n| Bottom left | Bottom right |\n\nBelow'],
    ['strict-format', 'Test'],
  ] as const)
    t.equal((await readWith(createReader, bytesOf(`${name}.docx`))).text, text, name);
  const { text } = await readWith(createReader, bytesOf('unit_test_headers_numbered.docx'));
  t.match(text, '### 1.2.1. Section 1.2.3\n\n');
});

t.test(
  'a damaged document is refused, or read',
  { skip: process.env.DOCX_SAMPLES !== undefined },
  async (t) => {
    const random = createRandom(5);
    const below = (most: number): number => Math.floor(random() * most);
    for (let run = 0; run < 500; run++) {
      const bytes = bytesOf(NAMES[run % NAMES.length] as string);
      const damaged = run % 2 === 0 ? withChanges(bytes, below) : withChangedXml(bytes, below);
      const error = await readWith(createReader, damaged).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined && (error as { statusCode?: number }).statusCode !== 400) throw error;
    }
    t.pass();
  },
);

function withChanges(bytes: Uint8Array, below: (most: number) => number): Buffer {
  const changed = Buffer.from(bytes).subarray(0, below(10) === 0 ? below(bytes.length) : bytes.length);
  for (let count = 1 + below(5); count > 0; count--) changed[below(changed.length)] = below(256);
  return changed;
}

const ODD = [
  '<',
  '>',
  '"',
  '/',
  '&',
  '</w:p>',
  '<w:p>',
  '<w:tbl>',
  '<w:tc>',
  '<!--',
  ']]>',
  'w:',
  '\u0000',
  '9',
  '<m:d>',
];

/** Stretches of its XML are removed, doubled or replaced. */
function withChangedXml(bytes: Uint8Array, below: (most: number) => number): Buffer {
  const files = [...unzip(bytes, () => true, 1e8)].map(([name, data]) => ({ name, data }));
  const xml = files.filter(({ name }) => /\.(?:xml|rels)$/.test(name));
  const victim = xml[below(xml.length)];
  if (victim === undefined) return Buffer.from(bytes);
  const text = Buffer.from(victim.data).toString();
  const at = below(text.length);
  const stretch = text.slice(at, at + below(50));
  const put = [ODD[below(ODD.length)], stretch + stretch, ''][below(3)];
  victim.data = Buffer.from(text.slice(0, at) + put + text.slice(at + stretch.length));
  return zipOf(files);
}
