import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { DoclingDocument, Item } from '../../../../plugins/readers/docling/document.ts';
import { writeMarkdown } from '../../../../plugins/readers/docling/markdown.ts';
import { problemOfPlaces } from '../../../../server/engine/read/places.ts';

/**
 * The Markdown of documents of docling's own tests, against the Markdown that docling makes of them. Those of a whole
 * checkout are tested with `DOCLING_SAMPLES=docling/tests/data/pdf/groundtruth`.
 */

const FOLDER = process.env.DOCLING_SAMPLES ?? join(import.meta.dirname, '../../../fixtures/docling');
const NAMES = readdirSync(FOLDER).filter((name) => /(?<!\.meta)\.json$/.test(name));
const sample = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const documentOf = (name: string) => JSON.parse(sample(name)) as DoclingDocument;

/** docling pads the cells of tables, keeps spaces in them, and ends some texts with empty lines. */
function withoutPadding(markdown: string): string {
  const lines = markdown.split('\n').map((line) => {
    if (!line.startsWith('|')) return line;
    const cells = line.split('|').map((cell) => cell.trim().replace(/ +/g, ' ').replace(/^-+$/, '-'));
    return cells.join(' | ').trim();
  });
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

for (const name of NAMES)
  t.test(`${name} is the Markdown that docling makes of it`, async (t) => {
    const { text, places } = writeMarkdown(documentOf(name));
    t.equal(withoutPadding(text), withoutPadding(sample(name.replace(/json$/, 'md'))));
    t.equal(problemOfPlaces(places, text), undefined);
  });

const plain = (markdown: string) =>
  markdown
    .replaceAll('\\_', '_')
    .replace(/&(amp|lt|gt);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>' })[name as string] ?? '');
const rounded = (value: number) => Math.round(value * 10_000) / 10_000;

/** Whether a text is one of the words in a picture, or belongs to a picture or a table, such as a caption. */
function isInFigure(document: DoclingDocument, { parent }: Item): boolean {
  const [, list, index] = parent?.$ref.split('/') ?? [];
  if (list === 'pictures' || list === 'tables') return true;
  const above = list === 'groups' ? document.groups?.[Number(index)] : undefined;
  return above !== undefined && isInFigure(document, above);
}

t.test('the text at a place is that of the item that docling found there', async (t) => {
  for (const name of NAMES) {
    const document = documentOf(name);
    const { text, places } = writeMarkdown(document);
    const written = new Set(
      places.map(({ start, end, page, box }) => JSON.stringify([plain(text.slice(start, end)), page, box])),
    );
    const alone = (document.texts ?? []).filter((one) => {
      const { prov = [], text = '', content_layer, label } = one;
      const isText = text !== '' && content_layer === 'body' && label !== 'formula';
      return prov.length === 1 && isText && !isInFigure(document, one);
    });
    for (const { prov: [{ page_no, bbox } = never] = [], text = '' } of alone) {
      const { width = 1, height = 1 } = document.pages?.[page_no]?.size ?? {};
      const isUp = bbox.coord_origin === 'BOTTOMLEFT';
      const ys = [bbox.t, bbox.b].map((y) => rounded((isUp ? height - y : y) / height)).sort((a, b) => a - b);
      const box = [rounded(bbox.l / width), ys[0], rounded(bbox.r / width), ys[1]];
      if (!written.has(JSON.stringify([text, page_no, box]))) t.fail(`${name}: ${text}`);
    }
  }
});

const never = { page_no: 0, bbox: { l: 0, t: 0, r: 0, b: 0, coord_origin: 'TOPLEFT' } };

t.test(
  'sheets have cells, recordings have times, pictures have numbers',
  { skip: process.env.DOCLING_SAMPLES !== undefined },
  async (t) => {
    const sheet = writeMarkdown(documentOf('xlsx_comments.xlsx.json'));
    const cells = sheet.places.map(({ start, end, sheet: name, cells }) => [
      sheet.text.slice(start, end),
      name,
      cells,
    ]);
    t.same(cells.slice(0, 2), [
      ['Python is great', 'Sheet1', 'A1'],
      ['Machine learning libraries', 'Sheet1', 'B2'],
    ]);
    const cues = writeMarkdown(documentOf('webvtt_example_01.vtt.json'));
    t.match(cues.places[0], { start_time: Number, end_time: Number });
    const pictures = writeMarkdown(documentOf('picture_classification.json'));
    const images = pictures.places.filter(({ image }) => image !== undefined);
    t.ok(images.every(({ start, end }) => pictures.text.slice(start, end) === '<!-- image -->'));
    t.same(
      images.map(({ image, page }) => [image, page]),
      [
        [1, 1],
        [2, 2],
      ],
    );
  },
);

t.test('stretches of a text with boxes of their own are counted in code points', async (t) => {
  const text = 'a😀b😀c';
  const on = (page_no: number, from: number, to: number) => ({
    page_no,
    bbox: { l: 0, t: 0, r: 1, b: 1 },
    charspan: [from, to] as const,
  });
  const texts = [{ self_ref: '#/texts/0', label: 'text', text, prov: [on(1, 0, 2), on(2, 2, 5)] }];
  const written = writeMarkdown({ body: { children: [{ $ref: '#/texts/0' }] }, texts });
  t.equal(written.text, text);
  t.same(
    written.places.map(({ start, end, page }) => [text.slice(start, end), page]),
    [
      ['a😀', 1],
      ['b😀c', 2],
    ],
  );
});

t.test('a document that refers to itself is written once; one without an end is refused', async (t) => {
  const circle: Item = {
    self_ref: '#/groups/0',
    label: 'list',
    children: [{ $ref: '#/groups/0' }, { $ref: '#/texts/0' }],
  };
  const texts = [{ self_ref: '#/texts/0', label: 'text', text: 'Once.', children: [{ $ref: '#/groups/0' }] }];
  const body = {
    self_ref: '#/body',
    children: [{ $ref: '#/groups/0' }, { $ref: '#/nothing/9' }, { $ref: 'x' }],
  };
  t.equal(writeMarkdown({ body, groups: [circle], texts }).text, 'Once.');
  const deep = Array.from(
    { length: 100_000 },
    (_, index): Item => ({
      self_ref: `#/groups/${index}`,
      label: 'list',
      children: [{ $ref: `#/groups/${index + 1}` }],
    }),
  );
  t.throws(() => writeMarkdown({ body, groups: deep }), {
    message: 'its items are nested more than 100 deep',
  });
  const data = { num_rows: 1e9, num_cols: 1e9, table_cells: [] };
  const tables = [{ self_ref: '#/tables/0', label: 'table', data }];
  const large = { body: { children: [{ $ref: '#/tables/0' }] }, tables };
  t.throws(() => writeMarkdown(large), { message: /a table has .* cells, over the limit of 1000000/ });
  t.same(writeMarkdown({}), { text: '', places: [] });
});
