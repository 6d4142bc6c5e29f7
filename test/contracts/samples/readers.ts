import type { Sample } from './sample.ts';

const READ = `{ read({ bytes }, { signal, report }) {
  report('listed', 'yes');
  signal.throwIfAborted();
  const text = String.fromCharCode(...bytes);
  if (text.includes('%PDF')) throw Object.assign(new Error('no text'), { expose: true, statusCode: 400 });
  const half = Math.ceil(text.length / 2);
  return { text, encoding: 'windows-1252', mediaType: 'text/plain', metadata: { n: 1 }, places: [{ start: 0, end: half, page: 1 }, { start: half, end: half, page: 2 }] };
} }`;

export const READERS: readonly Sample[] = [
  {
    kind: 'reader',
    manifest: {
      formats: { extensions: ['.one'], mediaTypes: ['text/*'] },
      reports: { listed: 'That it was.' },
    },
    good: READ,
    bad: [
      [READ.replace("'listed'", "'unlisted'"), /only what its manifest lists.*unlisted/],
      [READ.replace('signal.throwIfAborted();', ''), /ends when the signal aborts/],
      [READ.replace('{ expose: true,', '{'), /an exposed error with statusCode 400/],
      [READ.replace('statusCode: 400', 'statusCode: 500'), /an exposed error with statusCode 400/],
      [READ.replace('const text', 'bytes.fill(0); const text'), /given bytes are not changed/],
      [READ.replace('n: 1', 'n: Math.random()'), /the same file is read in the same way/],
      [READ.replace('n: 1', 'n: undefined'), /metadata is a JSON object/],
      [READ.replace('String.fromCharCode(...bytes)', '"\\ud800"'), /lone surrogates/],
      [
        READ.replace('String.fromCharCode(...bytes)', 'new TextDecoder().decode(bytes)'),
        /U\+FFFD is in the text/,
      ],
      [READ.replace('start: half', 'start: -1'), /places rise, .*places\[1\]\.start: expected at least 0/],
      [READ.replace('end: half, page: 2', 'end: 1e6'), /places rise, .*ends beyond the text/],
      [READ.replace('page: 2', 'page: 0'), /members of places have their types/],
      [READ.replace('windows-1252', 'latin1'), /name from the WHATWG standard/],
      [READ.replace('text/plain', 'Text/Plain'), /media type is in lower case/],
    ],
  },
];
