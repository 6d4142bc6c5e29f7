const BYTES = 3_000_000;
const repeated = (text: string): string => text.repeat(BYTES / text.length);
const archive = (more: string): Buffer =>
  Buffer.from(`MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n${more}`, 'latin1');

/** Files that would take too long or too much memory, were they read without care. */
export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  'very many parts': () => archive(repeated('\n--b\n')),
  'archives in archives': () => archive(repeated('Content-Type: multipart/related; boundary=b\n\n--b\n')),
  'a page of elements': () => archive(`Content-Type: text/html\n\n${repeated('<b>')}`),
  'a page that is not closed': () => archive(`Content-Type: text/html\n\n${repeated('<!--')}`),
  'very many frames': () => archive(`Content-Type: text/html\n\n${repeated('<iframe src=cid:a></iframe>')}`),
  'a frame that contains itself': () =>
    archive(`Content-Type: text/html\nContent-ID: <a>\n\n<iframe src=cid:a></iframe>\n--b--\n`),
};
