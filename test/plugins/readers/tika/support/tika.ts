import type { Test } from 'tap';
import createReader from '../../../../../plugins/readers/tika/index.ts';
import { type Reply, send } from '../../../../support/hosted-host.ts';
import { startReader } from '../../remote-reader.ts';

/** XHTML as Tika's own handler writes it. */
export const xhtml = (body: string, title = ''): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml">\n<head>\n<meta name="dc:title" content="${title}" />\n<title>${title}</title>\n</head>\n<body>${body}</body></html>`;

/** Answers as Tika 3 does to `/rmeta/xml`, with further values of the file and the entries of files within it. */
export const parsed =
  (body: string, more: object = {}, ...attachments: readonly object[]): Reply =>
  (_, response) => {
    const content = { 'X-TIKA:content': xhtml(body), 'X-TIKA:embedded_depth': '0' };
    send(response, 200, [{ 'Content-Type': 'application/pdf', ...content, ...more }, ...attachments]);
  };

/** A stand-in for a Tika server, and a reader that is set to it. */
export const startTika = (t: Test, reply: Reply) => startReader(t, createReader, 'TIKA_URL', reply);
