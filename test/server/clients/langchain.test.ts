import { Document } from '@langchain/core/documents';
import * as langchain from '@langchain/textsplitters';
import { ChunksmithTextSplitter, RecursiveCharacterTextSplitter } from 'chunksmith/langchain';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { startServer } from '../../support/server.ts';

/** A program of LangChain changes one import. */

const { url: baseUrl } = await startServer(t);
const TEXT = '# Tea\n\nBoil water. 👍🏽 Wait.\r\n\nA family 👩‍👩‍👧‍👦 drinks.\n\n你好，世界。\n';
const metadata = { source: 'tea.md', loc: { page: 3 } };
const textsOf = (documents: readonly Document[]) => documents.map(({ pageContent }) => pageContent);
const splitterOf = (fields: object = {}) =>
  new ChunksmithTextSplitter({ baseUrl, chunker: 'token', ...fields });

/** What both splitters have to agree about: where a chunk stands, by what is in it. */
function placesIn(text: string, documents: readonly Document[]): [found: unknown, expected: unknown][] {
  return documents.map(({ pageContent, metadata }) => {
    const from = text.slice(0, text.indexOf(pageContent)).split('\n').length;
    return [metadata.loc.lines, { from, to: from + pageContent.split('\n').length - 1 }];
  });
}

t.test('it is a text splitter and a transformer of documents', async (t) => {
  const splitter = splitterOf({ chunkSize: 10 });
  t.ok(splitter instanceof langchain.TextSplitter);
  const pieces = await splitter.splitText(TEXT);
  t.equal(pieces.join(''), TEXT);
  t.ok(pieces.every((piece) => Array.from(piece).length <= 10));
  t.same(await splitter.splitText(''), []);
  const given = new Document({ pageContent: TEXT, metadata });
  const chained = await splitter.invoke([given]);
  t.same(chained, await splitter.splitDocuments([given]));
  t.same(chained, await splitter.transformDocuments([given]));
});

t.test('documents have the metadata of their text, loc.lines and the start', async (t) => {
  const splitter = splitterOf({ chunkSize: 10, addStartIndex: true, chunkOverlap: 3 });
  const documents = await splitter.createDocuments([TEXT, '', 'x'], [metadata, {}]);
  const first = documents.filter((one) => one.metadata.source === 'tea.md');
  t.equal(documents.length, first.length + 1);
  t.strictSame(documents.at(-1)?.metadata, { start_index: 0, loc: { lines: { from: 1, to: 1 } } });
  for (const { pageContent, metadata } of first) {
    t.equal(TEXT.slice(metadata.start_index).indexOf(pageContent), 0);
    t.equal(metadata.loc.page, 3);
  }
  for (const [lines, expected] of placesIn(TEXT, first)) t.strictSame(lines, expected);
});

t.test('headers are added as LangChain adds them', async (t) => {
  const header = { chunkHeader: 'T: ', appendChunkOverlapHeader: true };
  const documents = await splitterOf({ chunkSize: 2 }).createDocuments(['abcd'], [], header);
  t.same(textsOf(documents), ['T: ab', "T: (cont'd) cd"]);
});

t.test('more texts than one request takes', async (t) => {
  const texts = Array.from({ length: 230 }, (_, index) => `text ${index}`);
  t.same(textsOf(await splitterOf().createDocuments(texts)), texts);
});

t.test('the splitter of a program is replaced by its name', needs('chunker/recursive'), async (t) => {
  const given = { chunkSize: 20, chunkOverlap: 0, separators: ['\n\n', '\n', ' ', ''] };
  const program = (Splitter: new (fields: object) => langchain.TextSplitter, fields: object) =>
    new Splitter({ ...given, ...fields }).createDocuments([TEXT], [metadata]);
  const theirs = await program(langchain.RecursiveCharacterTextSplitter, {});
  const ours = await program(RecursiveCharacterTextSplitter, { baseUrl });
  t.same(Object.keys(ours[0]?.metadata ?? {}), Object.keys(theirs[0]?.metadata ?? {}));
  for (const [first] of [ours, theirs])
    t.match(first?.metadata, { source: 'tea.md', loc: { page: 3, lines: { from: 1 } } });
  t.equal(textsOf(ours).join(''), TEXT, 'and nothing is lost');
  for (const [lines, expected] of placesIn(TEXT, ours)) t.strictSame(lines, expected);
});

t.test('what a service cannot do is refused', async (t) => {
  t.throws(() => new RecursiveCharacterTextSplitter({ lengthFunction: () => 1 } as object), /tokenizer/);
  const refused = splitterOf({ options: { chunk_sise: 1 } }).splitText('a');
  await t.rejects(refused, { name: 'ChunksmithError', status: 400, detail: /chunk_size/ });
});
