import t from 'tap';
import { type FormFile, postFile, postForm } from '../../support/files.ts';
import { needs } from '../../support/here.ts';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import type { Answer } from '../../support/server.ts';
import { type OpenService, openService } from '../../support/service.ts';

/** A reader of files that begin with a line of JSON, what it reads, and behind it the text. */
const readerCode = (self: string) => `const self = ${JSON.stringify(self)};
export default () => ({
  async read({ bytes, name, mediaType, charset }, { report }) {
    const whole = Buffer.from(bytes).toString('latin1');
    const end = whole.indexOf('\\n');
    report('seen', 'yes');
    report('read-by', self);
    const { fails, ...read } = JSON.parse(whole.slice(0, end));
    if (fails) throw Object.assign(new Error(fails), { expose: true, statusCode: 400 });
    return { text: whole.slice(end + 1), encoding: 'latin1', metadata: { name, mediaType, charset }, ...read };
  },
});`;
const REPORTS = { seen: 'Whether it was seen.', 'read-by': 'Its name.' };
const reader = (name: string, formats: object, more: object = {}) =>
  plugin({ kind: 'reader', name, formats, reports: REPORTS, ...more }, readerCode(name));

const OPTIONS = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 1, default: 5 },
    share: { type: 'number', default: 0.5 },
    flag: { type: 'boolean', default: false },
    word: { type: 'string', default: 'x' },
    side: { enum: ['prev', 'next', null], default: 'prev' },
    marks: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }], default: 'a' },
    list: { type: 'array', items: { type: 'string' }, default: [] },
    numbers: { type: 'array', items: { type: 'integer' }, default: [] },
    inner: { type: 'object', properties: { deep: { type: 'integer' } }, default: {} },
  },
};

const EVEN = { extensions: ['.odd', '.even'], mediaTypes: ['application/x-even'] };

const folder = await pluginsFolder(
  t,
  chunker(
    'echo',
    'return [{ start: 0, end: text.length, extra: { options, document: { ...context.document, metadata: context.document.metadata } } }];',
    { options: OPTIONS },
  ),
  reader('odd', { extensions: ['.odd'], mediaTypes: ['application/x-odd', 'odd/*'] }),
  reader('even', EVEN, { needs: { env: ['NOT_SET'] } }),
);
const plugins = ['echo', 'character', 'odd', 'even'];
const client = await openService(t, { pluginsDir: [folder], plugins });

interface Echo {
  readonly text: string;
  readonly options: Record<string, unknown>;
  readonly document: Record<string, unknown>;
  readonly [field: string]: unknown;
}

const ODD: FormFile = { bytes: '{}\nsome text', name: 'a.odd', type: 'application/x-odd; charset=Latin1' };

const PATH = '/v1/chunk/echo/file';
type Given = Readonly<Record<string, string | readonly string[]>>;

/** Sends a form with a file, and fields with one value or several. */
function sent(file: FormFile, fields: Given = {}, { send }: Pick<OpenService, 'send'> = client) {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  return postForm({ send }, PATH, file, pairs);
}

const withBytes = (bytes: string | Uint8Array): FormFile => ({ ...ODD, bytes });

async function echo(fields: Given, file = ODD): Promise<Echo> {
  const answer = await sent(file, fields);
  t.equal(answer.status, 200, answer.bytes.toString().slice(0, 200));
  return answer.json<Echo[]>()[0] as Echo;
}

t.test('a form has the file, what is known of it, and the options', async (t) => {
  const { text, document, options } = await echo({
    ...{ size: '12', share: '0.25', flag: 'true', word: '12', side: 'null' },
    ...{ marks: '["b", "c"]', list: ['one', 'two'], numbers: '7', inner: '{"deep": 3}' },
    document: '{"id": "d", "title": "T", "metadata": {"year": 2026, "name": "mine"}}',
  });
  t.equal(text, 'some text');
  t.match(options, { size: 12, share: 0.25, flag: true, word: '12', side: null, marks: ['b', 'c'] });
  t.same(options.list, ['one', 'two']);
  t.same(options.numbers, [7], 'one of a list');
  t.same(options.inner, { deep: 3 });
  t.match(document, { id: 'd', title: 'T', filename: 'a.odd' });
  const metadata = { name: 'mine', year: 2026, mediaType: 'application/x-odd', charset: 'latin1' };
  t.same(document.metadata, metadata, 'of the request and of the file');
});

t.test('the file may be the body itself, with its fields in the address', async (t) => {
  const path = '/v1/chunk/echo/file?filename=C%3A%5Cfolder%2Fb%5Ca.odd&size=3&list=one&list=two&include=id';
  const answer = await postFile(client, path, '{}\nä', { 'content-type': 'application/x-odd' });
  const [chunk] = answer.json<Echo[]>();
  t.match(chunk, {
    text: 'Ã¤',
    options: { size: 3, list: ['one', 'two'] },
    document: { filename: 'C:\\folder/b\\a.odd' },
  });
  t.ok(chunk?.id);
  t.notOk('index' in (chunk ?? {}), 'with the fields that are asked for');
  const { name } = (chunk as Echo).document.metadata as { name: string };
  t.equal(name, 'a.odd', 'the reader gets the name without folders');
  t.equal(answer.headers.get('x-source-encoding'), 'latin1');
  t.equal(answer.headers.get('x-seen'), 'yes', 'what the reader reports');
});

t.test('values that do not fit an option are said as they came', async (t) => {
  for (const [field, value, detail] of [
    ['size', 'twelve', /^size: expected an integer of at least 1, got "twelve"/],
    ['size', '1.5', /^size: expected an integer of at least 1, got 1.5/],
    ['flag', 'yes', /^flag: expected true or false, got "yes"/],
    ['numbers', '[1', /^numbers(\[0\])?: expected .*integer.*, got "\[1"/],
    ['siez', '1', /^siez: unknown parameter, did you mean "size"\?/],
    ['text', 'a', /^text: unknown parameter/],
    ['document', 'd', /^document: expected JSON such as/],
    ['document', '{"pages": [0]}', /^document\.pages: unknown parameter/],
    ['reader', 'none', /^There is no reader "none"; available: even, odd/],
    ['include', 'ids', /^include(\[0\])?: expected .*"id"/],
  ] as const) {
    checkProblem(t, await sent(ODD, { [field]: value }), 400, detail);
  }
});

t.test('a body that is no form, or has not one file, is refused', async (t) => {
  const type = { 'content-type': 'multipart/form-data; boundary=x' };
  const text = '--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nabc\r\n--x--\r\n';
  for (const [body, problem] of [
    ['abc', /^The body is not a valid form, although its Content-Type says so: /],
    ['', /^The body is empty/],
    ['--x--\r\n', /^file: missing, expected a file/],
    [text, /^file: missing, expected a file/],
  ] as const)
    checkProblem(t, await postFile(client, PATH, body, type), 400, problem);
  const noBoundary = await postFile(client, PATH, 'a', { 'content-type': 'multipart/form-data' });
  checkProblem(t, noBoundary, 400, /^The body is not a valid form/);
  const filesIn = (...fields: string[]) => {
    const body = new FormData();
    for (const [index, field] of fields.entries()) body.append(field, new Blob(['{}\n']), `${index}.odd`);
    return client.send(PATH, { method: 'POST', body });
  };
  const two = await filesIn('file', 'file');
  checkProblem(t, two, 400, /^file: expected one, got 2; send one request per file/);
  checkProblem(t, await filesIn('file', 'more'), 400, /^more: expected a text, got a file/);
  const twice = await postFile(client, `${PATH}?reader=odd&reader=even`, '{}\n');
  checkProblem(t, twice, 400, /^reader: given 2 times/);
});

t.test('mistyped fields of a form are told like those of JSON, all at once', async (t) => {
  const form = async (fields: Record<string, string | Blob>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, 'a.odd');
    }
    return client.send(PATH, { method: 'POST', body });
  };
  const file = new Blob(['{}\na']);
  const missing = /^file: missing, expected a file/;
  checkProblem(t, await form({ files: file }), 400, [
    missing,
    /files: unknown parameter, did you mean "file"\?/,
  ]);
  checkProblem(t, await form({ upload: file }), 400, [
    missing,
    /upload: unknown parameter, did you mean "file"\?/,
  ]);
  checkProblem(t, await form({ document: file }), 400, [missing, /document: expected a text, got a file/]);
  for (const [slip, meant] of Object.entries({
    readr: 'reader',
    file_name: 'filename',
    documnt: 'document',
    siez: 'size',
  }))
    checkProblem(
      t,
      await form({ file, [slip]: 'x' }),
      400,
      new RegExp(`^${slip}: unknown parameter, did you mean "${meant}"`),
    );
  const all = await form({ files: file, siez: '1', size: '0', document: 'd', reader: 'none' });
  checkProblem(t, all, 400, [
    missing,
    /files: unknown/,
    /siez: unknown/,
    /size: expected/,
    /document: expected JSON/,
  ]);
  checkProblem(t, await form({ file, reader: 'none', size: '0' }), 400, [
    /size: expected/,
    /There is no reader "none"/,
  ]);
});

t.test('a request in JSON is no file', async (t) => {
  const type = { 'content-type': 'application/json' };
  for (const body of [{ text: 'a' }, { text: ['a'], size: 4 }, { documents: [] }])
    checkProblem(
      t,
      await postFile(client, PATH, JSON.stringify(body), type),
      400,
      /^the body is a request in JSON, not a file/,
    );
  for (const body of ['{"text":"a","own":1}', '["text"]', '{"a":1}'])
    t.equal((await postFile(client, PATH, body, type)).status, 415, body);
  const named = await postFile(client, `${PATH}?filename=a.odd`, '{"text":"a"}\nb', type);
  t.equal(named.status, 200, 'with a name it is a file');
});

t.test('the ending of the name decides who reads, then the media type, then who can', async (t) => {
  const status = async (name: string, type: string, fields: Given = {}) =>
    (await sent({ bytes: '{}\na', name, type }, fields)).status;
  t.equal(await status('A.ODD', 'application/x-even'), 200, 'the name, in any case; even cannot run');
  t.equal(await status('a', 'APPLICATION/X-ODD'), 200);
  t.equal(await status('a', 'odd/thing'), 200, 'all media types of a type');
  t.equal(await status('a.even', 'application/x-odd'), 500, 'only one that cannot run reads it');
  t.equal(await status('a.odd', '', { reader: 'even' }), 500, 'the one that is asked for');
  t.equal(await status('a', '', { reader: 'odd' }), 200);
  t.equal(await status('a', '', { filename: 'a.odd' }), 200, 'a name in place of that of the form');
  t.equal(await status('a.txt', 'text/plain'), 415, 'nobody');
  const missing = await sent({ ...ODD, name: 'a.even' });
  checkProblem(t, missing, 500, /^The reader "even" cannot run here: set the environment variable NOT_SET/);
  checkProblem(t, missing, 500, /; needed for "a\.even" \(/);
  const named = await sent({ bytes: '', name: 'job.json', type: 'application/json' });
  checkProblem(
    t,
    named,
    415,
    /^No reader handles "job\.json" \(application\/json\)\. This server reads \.odd\.$/,
  );
  const unread = await postFile(client, PATH, 'a', { 'content-type': 'text/css' });
  checkProblem(t, unread, 415, /^No reader handles a file of type text\/css\. This server reads \.odd\.$/);
});

t.test('a service that is set up reads first, and a reader of any file last', async (t) => {
  const set = 'CHUNKSMITH_TEST_SERVICE';
  const [service, unset] = [set, 'NOT_SET'].map((name) => ({ needs: { env: [name] } }));
  const any = { extensions: ['.many'], mediaTypes: ['*/*'] };
  const many = { extensions: ['.many'], mediaTypes: ['application/x-many'] };
  const html = chunker('whole', 'return [{ start: 0, end: text.length }];', { formats: many });
  const folder = await pluginsFolder(
    t,
    html,
    reader('any', any),
    reader('local', many),
    reader('remote', many, service),
    reader('unset', many, unset),
  );
  const readers = ['any', 'local', 'remote', 'unset'];
  const whoReads = async (chunker: string, names: readonly string[], file: Partial<FormFile> = {}) => {
    const opened = await openService(t, {
      pluginsDir: [folder],
      plugins: ['whole', 'character', 'token', ...names],
    });
    const sent = { bytes: '{}\na', name: 'a.many', type: '', ...file };
    const { headers } = await postForm(opened, `/v1/chunk/${chunker}/file`, sent);
    return headers.get('x-read-by');
  };
  process.env[set] = 'yes';
  t.teardown(() => delete process.env[set]);
  t.equal(await whoReads('token', readers), 'remote');
  t.equal(await whoReads('token', ['any', 'local', 'unset']), 'local');
  t.equal(await whoReads('token', ['any', 'unset']), 'any', 'the first that can run');
  t.equal(await whoReads('whole', readers), 'any', 'what the chunker takes itself is not converted');
  t.equal(await whoReads('whole', readers, { name: 'a', type: 'application/x-many' }), 'any');
});

t.test('a reader gets its options, with defaults, from a form or an address', async (t) => {
  const properties = { part: { enum: ['all', 'main'], default: 'all' }, depth: { type: 'integer' } };
  const manifest = { kind: 'reader', name: 'asked', formats: { extensions: ['.asked'] } };
  const code = `export default () => ({ read: (_, { options }) => ({ text: JSON.stringify(options) }) });`;
  const one = await pluginsFolder(
    t,
    plugin({ ...manifest, options: { type: 'object', properties } }, code),
    plugin({ ...manifest, name: 'plain', formats: { extensions: ['.plain'] } }, code),
  );
  const names = ['echo', 'character', 'asked', 'plain'];
  const other = await openService(t, { pluginsDir: [folder, one], plugins: names });
  const given = async (reader_options?: string, name = 'a.asked') => {
    const fields: [string, string][] =
      reader_options === undefined ? [] : [['reader_options', reader_options]];
    const inForm = await postForm(other, PATH, { bytes: 'x', name, type: '' }, fields);
    const query = new URLSearchParams([['filename', name], ...fields]);
    const inQuery = await postFile(other, `${PATH}?${query}`, 'x');
    t.equal(inQuery.status, inForm.status);
    return inForm;
  };
  const textOf = (answer: Answer) => answer.json<{ text: string }[]>()[0]?.text;
  t.equal(textOf(await given()), '{"part":"all"}');
  t.equal(textOf(await given('{"part": "main", "depth": 2}')), '{"part":"main","depth":2}');
  t.equal(textOf(await given(undefined, 'a.plain')), '{}');
  checkProblem(t, await given('{"part": "best"}'), 400, /^reader_options\.part: /);
  checkProblem(t, await given('{"parts": "main"}'), 400, /^reader_options\.parts: .*part/);
  checkProblem(t, await given('{"part": "main"}', 'a.plain'), 400, /^reader_options\.part: /);
  checkProblem(t, await given('[]'), 400, /^reader_options: expected an object, got an empty list/);
  checkProblem(t, await given('main'), 400, /^reader_options: expected an object as JSON, such as /);
});

t.test('of several readers that cannot run all are named', async (t) => {
  const one = (name: string) =>
    reader(name, { extensions: ['.pair'] }, { needs: { env: [`NO_${name.toUpperCase()}`] } });
  const pair = await pluginsFolder(t, one('left'), one('right'));
  const both = ['echo', 'character', 'left', 'right'];
  const server = await openService(t, { pluginsDir: [folder, pair], plugins: both });
  const refused = await sent({ ...ODD, name: 'a.pair' }, {}, server);
  const problem = /^The reader "left" or "right" cannot run here: set .* NO_LEFT .*; or set .* NO_RIGHT /;
  checkProblem(t, refused, 500, problem);
});

t.test('pages and title of a reader are those of the document', async (t) => {
  const made =
    '{"places": [{"start": 0, "end": 2, "page": 1}, {"start": 2, "end": 4, "page": 3}], "title": "Own", "mediaType": "text/markdown"}\na😀b';
  const chunk = await echo({ include: 'pages', size: '1' }, withBytes(Buffer.from(made, 'latin1')));
  t.match(chunk, { first_page: 1, document: { title: 'Own', mediaType: 'text/markdown' } });
  t.ok(Number(chunk.last_page) >= 3);
  const titled = await echo({ document: '{"title": "Mine"}' }, withBytes('{"title": "Own"}\na'));
  t.equal(titled.document.title, 'Mine', 'that of the request comes first');
  const problem = /^The reader "odd" returned an answer that breaks its contract: places\[1\]/;
  for (const second of ['"start": 0, "end": 2', '"start": 1, "end": 99', '"start": 1, "end": 2.5']) {
    const places = `[{"start": 1, "end": 2}, {${second}}]`;
    checkProblem(t, await sent(withBytes(`{"places": ${places}}\nabc`)), 500, problem);
  }
});

t.test('files without ids are known by their names: the same text has different ids', async (t) => {
  const given = async (name: string, document: object) => {
    const fields: Given = { document: JSON.stringify(document), include: ['id', 'document_id'] };
    const { id, document_id, document: told } = await echo(fields, { ...ODD, name });
    return { id, document_id, told };
  };
  const named = await given('a.odd', {});
  t.match(named, { document_id: 'a.odd', told: { id: 'a.odd', title: 'a.odd', filename: 'a.odd' } });
  t.not((await given('b.odd', {})).id, named.id);
  t.match(await given('a.odd', { title: 'T' }), {
    id: named.id,
    document_id: 'a.odd',
    told: { title: 'T' },
  });
  t.match(await given('a.odd', { id: 7 }), { document_id: '7', told: { id: '7', title: undefined } });
  const [unnamed] = (await postFile(client, `${PATH}?reader=odd&include=document_id`, '{}\na')).json<
    Echo[]
  >();
  t.equal(unnamed?.document_id, null);
});

t.test('what a reader says of a file that it cannot read is the answer', async (t) => {
  checkProblem(t, await sent(withBytes('{"fails": "no such page"}\n')), 400, /^no such page$/);
  const broken = await sent(withBytes('not JSON\n'));
  checkProblem(t, broken, 500, /^The reader "odd" failed: an unexpected error/);
});

t.test('limits hold for files', async (t) => {
  const few = await openService(t, { pluginsDir: [folder], plugins, maxCharacters: 5 });
  const post = (bytes: string, fields: Given = {}) => sent(withBytes(bytes), fields, few);
  t.equal((await post('{}\n12345')).status, 200);
  t.same((await post('{}\n')).json(), [], 'an empty file has no chunks');
  checkProblem(t, await post('{}\n123456'), 400, /^file: 6 characters, over the limit of 5/);
  const document = JSON.stringify({ metadata: { x: 'y'.repeat(16_384) } });
  const problem = /^document\.metadata: \d+ bytes, over the limit of 16384/;
  checkProblem(t, await post('{}\na', { document }), 400, problem);
});

t.test('metadata of a request stay as they came', async (t) => {
  const document = '{"metadata": {"n": 1e400, "n": -0}}';
  const answer = await sent(withBytes('{"metadata": {"a": 1}}\nx'), { document, include: 'metadata' });
  t.match(answer.bytes.toString(), '"metadata":{"a":1, "n": 1e400, "n": -0}');
});

t.test('a real file gives what its text gives, offsets too', needs('reader/text'), async (t) => {
  const opened = await openService(t);
  const text = 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. 漢字 😀\r\n'.repeat(200);
  const expected = await opened.chunk('token', { text, chunk_size: 100, chunk_overlap: 10 });
  const fields = Object.entries({ chunk_size: '100', chunk_overlap: '10', include: '[]' });
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const answer = await postForm(opened, '/v1/chunk/token/file', { bytes, name: 'a.txt' }, fields);
  t.equal(answer.headers.get('x-source-encoding'), 'utf-16be');
  t.same(answer.json(), expected);
});
