import type { ServerResponse } from 'node:http';
import type { Test } from 'tap';
import type { SourceFile } from '../../../../../core/contracts/reader.ts';
import createReader from '../../../../../plugins/readers/tika/index.ts';
import type { HostedTools } from '../../../../../server/hosted/call-with-retries.ts';
import { createHostedModels } from '../../../../../server/hosted/provider.ts';
import { collaborators } from '../../../../../server/testing/collaborators.ts';
import { never, type Reply, send, startHost } from '../../../../support/hosted-host.ts';

const FAST: HostedTools = {
  fetch,
  limits: { retries: 2, firstDelay: 1, longestDelay: 2000 },
  timeout: 10_000,
};

export const PDF = new TextEncoder().encode('%PDF-1.7 of a test');

/** XHTML as Tika's own handler writes it. */
export const xhtml = (body: string, title = ''): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml">\n<head>\n<meta name="dc:title" content="${title}" />\n<title>${title}</title>\n</head>\n<body>${body}</body></html>`;

/** Answers as Tika 3 does to `/rmeta/xml`, with further values of the file and the entries of files within it. */
export function parsed(
  response: ServerResponse,
  body: string,
  more: object = {},
  ...attachments: readonly object[]
): void {
  const file = {
    'Content-Type': 'application/pdf',
    'X-TIKA:content': xhtml(body),
    'X-TIKA:embedded_depth': '0',
    ...more,
  };
  send(response, 200, [file, ...attachments]);
}

/** A stand-in for a Tika server, and a reader that is set to it. */
export async function startTika(t: Test, reply: Reply) {
  const host = await startHost(t, reply);
  const given = { env: { TIKA_URL: `${host.url}/` }, hosted: createHostedModels(FAST) };
  const reader = await createReader(collaborators(given));
  const reports: string[][] = [];
  const read = async (more: Partial<SourceFile> = {}, signal = never) => {
    const file = { bytes: PDF, name: 'report.pdf', mediaType: undefined, charset: undefined, ...more };
    return reader.read(file, { report: (...one) => reports.push(one), signal });
  };
  return { asked: host.asked, url: host.url, read, reports };
}
