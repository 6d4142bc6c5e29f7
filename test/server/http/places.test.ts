import t from 'tap';
import { postForm } from '../../support/files.ts';
import { needs } from '../../support/here.ts';
import { outputOf, runJob, startJobServer } from '../../support/jobs.ts';
import { plugin, pluginsFolder } from '../../support/plugins.ts';
import { linesIn } from '../../support/streams.ts';

/** `include: ["places"]` and `["left_out"]` say the same on every way to chunk a document. */

const TEXT = 'Boil water.\n\nWait for 😀 minutes.\n\nPour.\n';
const edges = (part: string) => ({ start: TEXT.indexOf(part), end: TEXT.indexOf(part) + part.length });
/** In UTF-16 units, as a reader gives them. */
const PLACES = [
  { ...edges('Boil water.'), page: 1, box: [0.1, 0.1, 0.5, 0.12] },
  { ...edges('Wait for 😀'), page: 1, box: [0.1, 0.2, 0.5, 0.22] },
  { ...edges('minutes.'), page: 2, box: [0.1, 0.1, 0.3, 0.12] },
  { ...edges('Pour.'), page: 2, box: [0.1, 0.2, 0.2, 0.22], start_time: 4.5, end_time: 6 },
];
/** A header before the text, one at the second page, a footer after it. */
const LEFT_OUT = [0, TEXT.indexOf('minutes.'), TEXT.length].map((start, index) => ({
  ...{ start, end: start, kind: 'header_or_footer_line', text: `Line ${index}` },
  ...{ page: index === 0 ? 1 : 2, box: [0.1, 0.01, 0.5, 0.03] },
}));
const READER = `export default () => ({ read: ({ bytes }) => ({
  text: Buffer.from(bytes).subarray(1).toString(), places: ${JSON.stringify(PLACES)}, mediaType: 'text/plain',
  leftOut: { header_or_footer_line: 3 }, leftOutTexts: ${JSON.stringify(LEFT_OUT)} }) });`;
const reader = plugin({ kind: 'reader', name: 'placed', formats: { extensions: ['.placed'] } }, READER);

/** Not text, so that jobs have it read. */
const FILE = Buffer.concat([Buffer.from([0]), Buffer.from(TEXT)]);
const inCodePoints = <Place extends { start: number; end: number }>(places: readonly Place[]) => {
  const count = (at: number) => [...TEXT.slice(0, at)].length;
  return places.map((place) => ({ ...place, start: count(place.start), end: count(place.end) }));
};
const DOCUMENT = {
  ...{ id: 'a.placed', text: TEXT },
  ...{ places: inCodePoints(PLACES), left_out: inCodePoints(LEFT_OUT) },
};
const STEP = { chunk_size: 20 };
const ASKED = { include: ['id', 'document_id', 'places'] };

const server = await startJobServer(
  t,
  {
    'in/lines.jsonl': `${JSON.stringify(DOCUMENT)}\n`,
    'files/a.placed': `\0${TEXT}`,
    'texts/a.fb2': '{\\rtf1 x}',
    'texts/b.vtt': '00:01.000 --> 00:02.000\nTea.\n',
  },
  { pluginsDir: [await pluginsFolder(t, reader)] },
);
const { post } = server;

type Placed = Readonly<Record<'text' | 'places' | 'left_out', unknown>>;
const placesOf = (chunks: readonly Placed[]) => chunks.map(({ text, places }) => [text, places]);

const expected = [
  ['Boil water.\n\n', [{ page: 1, box: [0.1, 0.1, 0.5, 0.12] }]],
  [
    'Wait for 😀 minutes.\n',
    [
      { page: 1, box: [0.1, 0.2, 0.5, 0.22] },
      { page: 2, box: [0.1, 0.1, 0.3, 0.12] },
    ],
  ],
  ['\nPour.\n', [{ page: 2, box: [0.1, 0.2, 0.2, 0.22], start_time: 4.5, end_time: 6 }]],
];

t.test('documents, streams and files have the same places', needs('chunker/recursive'), async (t) => {
  const path = '/v1/chunk/recursive';
  const documents = await post(path, { documents: [DOCUMENT], ...STEP, ...ASKED });
  t.same(placesOf(documents.json<Placed[][]>()[0] ?? []), expected);
  const lines = [{ ...STEP, ...ASKED }, DOCUMENT].map((line) => `${JSON.stringify(line)}\n`).join('');
  const stream = await post(path, lines, { 'content-type': 'application/x-ndjson' });
  const [line] = linesIn<{ chunks: Placed[] }>(stream.bytes);
  t.same(placesOf(line?.chunks ?? []), expected);
  const fields = Object.entries({ chunk_size: '20', include: 'places' });
  const file = await postForm(server, `${path}/file`, { bytes: FILE, name: 'a.placed' }, fields);
  t.same(placesOf(file.json<Placed[]>()), expected);
});

t.test(
  'refineries keep places',
  needs('chunker/recursive', 'refinery/context', 'refinery/parents', 'refinery/overlap'),
  async (t) => {
    const steps = [
      { type: 'chunk', chunker: 'recursive', config: STEP },
      { type: 'refine', refinery: 'context', config: {} },
      { type: 'refine', refinery: 'parents', config: { parent_size: 1000 } },
      { type: 'refine', refinery: 'overlap', config: { context_size: 2 } },
    ];
    const { id } = (await post('/v1/pipelines', { name: 'placed', steps })).json<{ id: string }>();
    const answer = await post(`/v1/pipelines/${id}/execute`, { documents: [DOCUMENT], ...ASKED });
    t.same(
      answer.json<Placed[][]>()[0]?.map(({ places }) => places),
      expected.map(([, places]) => places),
    );
  },
);

t.test(
  "subtitles of a folder are read, and text of another server's formats stays as it is",
  needs('reader/subtitles', 'chunker/recursive'),
  async (t) => {
    const steps = [{ type: 'chunk', chunker: 'recursive', config: STEP }];
    const { id } = await runJob(server, { source: { path: 'texts' }, steps, ...ASKED });
    t.match(await outputOf(server, id), [
      { document_id: 'texts/a.fb2', text: '{\\rtf1 x}', places: null },
      { document_id: 'texts/b.vtt', text: 'Tea.', places: [{ start_time: 1, end_time: 2 }] },
    ]);
  },
);

t.test('jobs have the places of lines and of files', needs('chunker/recursive'), async (t) => {
  const steps = [{ type: 'chunk', chunker: 'recursive', config: STEP }];
  for (const path of ['in/lines.jsonl', 'files']) {
    const { id } = await runJob(server, { source: { path }, steps, ...ASKED });
    t.same(placesOf((await outputOf(server, id)) as readonly Placed[]), expected, path);
  }
});

const LISTED = LEFT_OUT.map(({ start: _start, end: _end, ...position }) => position);
const [FIRST, SECOND, LAST] = LISTED;
const listed = (chunks: readonly Placed[]) => chunks.map(({ left_out }) => left_out);
const WITH_LEFT_OUT = { include: ['id', 'document_id', 'left_out'] };

t.test(
  'what a reader left out is listed at its chunk, on every way',
  needs('chunker/recursive'),
  async (t) => {
    const path = '/v1/chunk/recursive';
    const all = [[FIRST], [SECOND], [LAST]];
    const documents = await post(path, { documents: [DOCUMENT], ...STEP, ...WITH_LEFT_OUT });
    t.same(listed(documents.json<Placed[][]>()[0] ?? []), all, 'documents');
    const lines = [{ ...STEP, ...WITH_LEFT_OUT }, DOCUMENT]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    const stream = await post(path, lines, { 'content-type': 'application/x-ndjson' });
    t.same(listed(linesIn<{ chunks: Placed[] }>(stream.bytes)[0]?.chunks ?? []), all, 'stream');
    const fields = Object.entries({ chunk_size: '20', include: 'left_out' });
    const file = await postForm(server, `${path}/file`, { bytes: FILE, name: 'a.placed' }, fields);
    t.same(listed(file.json<Placed[]>()), all, 'file');
    t.match(file.headers.get('x-source-left-out'), /header_or_footer_line/);
    const steps = [{ type: 'chunk', chunker: 'recursive', config: STEP }];
    for (const path of ['in/lines.jsonl', 'files']) {
      const { id } = await runJob(server, { source: { path }, steps, ...WITH_LEFT_OUT });
      t.same(listed((await outputOf(server, id)) as readonly Placed[]), all, path);
    }
  },
);

t.test('left-out texts of a document are checked', needs('chunker/recursive'), async (t) => {
  const bad = [{ start: 3, end: 2, kind: 'note', text: 'x' }];
  const answer = await post('/v1/chunk/recursive', { documents: [{ id: 'a', text: TEXT, left_out: bad }] });
  t.equal(answer.status, 400);
  t.match(answer.bytes.toString(), /left_out\[0\]\.end/);
});
