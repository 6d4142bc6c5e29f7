import t from 'tap';
import { postForm } from '../../support/files.ts';
import { needs } from '../../support/here.ts';
import { startServer } from '../../support/server.ts';

/** Formats that only a service reads: without one, the answer says which reader it is and what to set. */

const server = await startServer(t);
const BOTH = ['docling', 'tika'];
const FORMATS: readonly (readonly [ending: string, mediaType: string, readers: readonly string[]])[] = [
  ['.doc', 'application/msword', BOTH],
  ['.xls', 'application/vnd.ms-excel', BOTH],
  ['.ppt', 'application/vnd.ms-powerpoint', BOTH],
  ['.odt', 'application/vnd.oasis.opendocument.text', BOTH],
  ['.ods', 'application/vnd.oasis.opendocument.spreadsheet', BOTH],
  ['.odp', 'application/vnd.oasis.opendocument.presentation', BOTH],
  ['.epub', 'application/epub+zip', BOTH],
  ['.rtf', 'application/rtf', ['tika']],
  ['.eml', 'message/rfc822', ['tika']],
  ['.msg', 'application/vnd.ms-outlook', ['tika']],
];

for (const [ending, type, readers] of FORMATS)
  t.test(
    `${ending} without a service`,
    needs('chunker/recursive', 'reader/docling', 'reader/tika'),
    async (t) => {
      const names = readers.map((name) => `"${name}"`).join(' or ');
      const remedies = readers.map(
        (name) => `set the environment variable ${name.toUpperCase()}_URL and restart the server`,
      );
      const detail = `The reader ${names} cannot run here: ${remedies.join('; or ')}.`;
      for (const file of [
        { name: `old${ending}`, bytes: 'x' },
        { name: `OLD${ending.toUpperCase()}`, bytes: 'x' },
        { name: 'old', bytes: 'x', type },
      ]) {
        const answer = await postForm(server, '/v1/chunk/recursive/file', file);
        t.same([answer.status, answer.json()], [500, { detail }], JSON.stringify(file));
      }
    },
  );
