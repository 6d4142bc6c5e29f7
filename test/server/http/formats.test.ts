import t from 'tap';
import { postForm } from '../../support/files.ts';
import { needs } from '../../support/here.ts';
import { startServer } from '../../support/server.ts';

/** Formats that only a service reads: without one, the answer says which reader it is and what to set. */

const server = await startServer(t);
const BOTH = ['docling', 'tika'];
const FORMATS: readonly (readonly [
  ending: string,
  mediaType: string,
  readers: readonly string[],
  save?: string,
])[] = [
  ['.doc', 'application/msword', BOTH, '.docx or PDF'],
  ['.xls', 'application/vnd.ms-excel', BOTH, '.xlsx or .csv'],
  ['.ppt', 'application/vnd.ms-powerpoint', BOTH, '.pptx or PDF'],
];

for (const [ending, type, readers, save] of FORMATS)
  t.test(
    `${ending} without a service`,
    needs('chunker/recursive', 'reader/docling', 'reader/tika'),
    async (t) => {
      const names = readers.map((name) => `"${name}"`).join(' or ');
      const remedies = readers.map(
        (name) => `set the environment variable ${name.toUpperCase()}_URL and restart the server`,
      );
      const detail = `The reader ${names} cannot run here: ${remedies.join('; or ')}; needed for `;
      for (const file of [
        { name: `old${ending}`, bytes: 'x' },
        { name: `OLD${ending.toUpperCase()}`, bytes: 'x' },
        { name: 'old', bytes: 'x', type },
      ]) {
        const answer = await postForm(server, '/v1/chunk/recursive/file', file);
        const said = answer.json<{ detail: string }>().detail;
        t.equal(answer.status, 500);
        t.ok(said.startsWith(`${detail}"${file.name}"`), `${JSON.stringify(file)}: ${said}`);
        const remedy = save === undefined ? '.' : `; or save the file as ${save}, which needs neither.`;
        t.ok(said.endsWith(remedy), said);
      }
    },
  );

t.test('a kind that no reader reads is 415, with what this server reads', needs('reader/text'), async (t) => {
  for (const [name, type, said] of [
    ['a.zip', 'application/zip', '"a.zip" (application/zip)'],
    ['a.exe', undefined, '"a.exe"'],
    ['song.mp3', 'audio/mpeg', '"song.mp3" (audio/mpeg)'],
  ] as const) {
    const file = { name, bytes: 'PK\u0003\u0004\0\0\0', ...(type !== undefined && { type }) };
    const answer = await postForm(server, '/v1/chunk/recursive/file', file);
    const { detail } = answer.json<{ detail: string }>();
    t.equal(answer.status, 415, detail);
    t.ok(detail.startsWith(`No reader handles ${said}: The file cannot be read as text: `), detail);
    t.match(detail, /\. This server reads .*any text/);
  }
  const broken = await postForm(server, '/v1/chunk/recursive/file', { name: 'a.md', bytes: 'a\0\0b\u0001' });
  t.equal(broken.status, 400, 'a broken file of a known kind is a mistake');
});
