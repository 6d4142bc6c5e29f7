import { compoundFile, type Folder } from './support/compound-file.ts';

const HEAD = 'From: a@b\nSubject: s\n';
const BYTES = 3_000_000;
const repeated = (text: string): string => text.repeat(BYTES / text.length);
const message = (more: string): Buffer => Buffer.from(HEAD + more, 'latin1');
const boundaries = Array.from(
  { length: 40_000 },
  (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
);

/** Files that would take too long or too much memory, were they read without care. */
export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  'multiparts in multiparts': () => message(boundaries.join('')),
  'very many parts': () => message(`Content-Type: multipart/mixed; boundary=b\n\n${repeated('--b\n\n')}`),
  'messages in messages': () => message(repeated(`Content-Type: message/rfc822\n\n${HEAD}`)),
  'a giant field': () => message(`To: ${repeated('someone@example.org,')}\n\nx`),
  'quotations that are not closed': () => message(`To: ${repeated('"\\')}\n\nx`),
  'deep quotations': () => message(`Content-Type: text/plain; format=flowed\n\n${repeated('>')}`),
  'a page of elements': () => message(`Content-Type: text/html\n\n${repeated('<b>')}`),
  'control words of rich text': () => message(`Content-Type: text/enriched\n\n${repeated('<bold>')}`),
  'padding in base64': () => message(`Content-Transfer-Encoding: base64\n\n${repeated('QQ=')}`),
  'a calendar': () => message(`Content-Type: text/calendar\n\n${repeated('BEGIN:VEVENT\n')}`),
  'storages in storages of Outlook': () => {
    let folder: Folder = {};
    for (let depth = 0; depth < 1000; depth++) folder = { '__substg1.0_3701000D': folder };
    return compoundFile(folder);
  },
  'a table of sectors that refers to itself': () => {
    const file = compoundFile({ '__properties_version1.0': Buffer.alloc(32) });
    file.fill(0, 512, 1024);
    return file;
  },
  'sectors beyond the end': () =>
    compoundFile({ '__properties_version1.0': Buffer.alloc(32) }).subarray(0, 1500),
  'RTF of Outlook that repeats itself': () => {
    const head = Buffer.alloc(16);
    head.write('LZFu', 8);
    // Each reference of 16 bits repeats 17 bytes of `{\rtf1\ansi\mac`.
    const references = Buffer.alloc(
      3900,
      Buffer.from([0xff, ...Array.from({ length: 8 }, () => [0x00, 0x0f]).flat()]),
    );
    return compoundFile({
      '__properties_version1.0': Buffer.alloc(32),
      '__substg1.0_10090102': Buffer.concat([head, references]),
    });
  },
};

/** The reader's name is no file name extension. */
export const EXTENSION = 'eml';
