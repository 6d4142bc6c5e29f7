// Needs reader/text, chunker/token, tokenizer/character.
import t from 'tap';
import { postFile, postForm } from '../../support/files.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer } from '../../support/server.ts';

/** Files of text, read by the reader that comes along. */

t.test('a real file gives what its text gives', async (t) => {
  const server = await startServer(t, { workers: 1 });
  const text = 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. 漢字 😀\r\n'.repeat(2000);
  const asked = { chunk_size: 100, chunk_overlap: 10 };
  const expected = (await server.post('/v1/chunk/token', { text, ...asked })).json<{ text: string }[]>();
  const fields: [string, string][] = [
    ['chunk_size', '100'],
    ['chunk_overlap', '10'],
    ['include', '[]'],
  ];
  const encoded: [encoding: string, Buffer][] = [
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ];
  for (const [encoding, bytes] of encoded) {
    const answer = await postForm(server, '/v1/chunk/token/file', { bytes, name: 'a.txt' }, fields);
    t.equal(answer.headers.get('x-source-encoding'), encoding);
    t.same(answer.json(), expected, `offsets are those of the text that ${encoding} encodes`);
  }
  const binary = await postFile(server, '/v1/chunk/token/file', Buffer.from('PNG\0\0\0\x01\xff', 'latin1'));
  checkProblem(t, binary, 400, /^The file cannot be read as text/);
});

t.test('many files at once', async (t) => {
  const server = await startServer(t, { workers: 2 });
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const bytes = `file ${index} `.repeat(500);
      const answer = await postForm(server, '/v1/chunk/token/file', { bytes, name: `${index}.txt` });
      return (
        answer
          .json<{ text: string }[]>()
          .map(({ text }) => text)
          .join('') === bytes
      );
    }),
  );
  t.ok(answers.every(Boolean));
});
