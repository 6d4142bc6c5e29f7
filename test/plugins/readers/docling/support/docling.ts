import type { ServerResponse } from 'node:http';
import type { Test } from 'tap';
import type { SourceFile } from '../../../../../core/contracts/reader.ts';
import createReader from '../../../../../plugins/readers/docling/index.ts';
import type { HostedTools } from '../../../../../server/hosted/call-with-retries.ts';
import { createHostedModels } from '../../../../../server/hosted/provider.ts';
import { collaborators } from '../../../../../server/testing/collaborators.ts';
import { type Asked, never, type Reply, send, startHost } from '../../../../support/hosted-host.ts';

const FAST: HostedTools = {
  fetch,
  limits: { retries: 2, firstDelay: 1, longestDelay: 2000 },
  timeout: 10_000,
};

export const PDF = new TextEncoder().encode('%PDF-1.7 of a test');

/** The form that a request has. */
export async function formIn({ bytes, headers }: Asked): Promise<FormData> {
  const type = { 'content-type': headers['content-type'] ?? '' };
  return new Response(Uint8Array.from(bytes), { headers: type }).formData();
}

/** An answer of docling-serve 1.31 to a file that it has converted. */
export function convert(response: ServerResponse, markdown: string, more: object = {}): void {
  const document = {
    filename: 'document.pdf',
    md_content: markdown,
    json_content: null,
    html_content: null,
    text_content: null,
    doctags_content: null,
  };
  send(response, 200, {
    document,
    status: 'success',
    errors: [],
    processing_time: 0.1,
    timings: {},
    ...more,
  });
}

/** Answers with pages as docling-serve puts them together, by the mark that the request asks for. */
export const withPages =
  (...pages: readonly string[]): Reply =>
  async (asked, response) => {
    const form = await formIn(asked);
    convert(response, pages.join(`\n\n${form.get('md_page_break_placeholder')}\n\n`));
  };

/** A stand-in for docling-serve, and a reader that is set to it. */
export async function startDocling(t: Test, reply: Reply, env: Readonly<Record<string, string>> = {}) {
  const host = await startHost(t, reply);
  const given = { env: { DOCLING_URL: `${host.url}/`, ...env }, hosted: createHostedModels(FAST) };
  const reader = await createReader(collaborators(given));
  const read = async (more: Partial<SourceFile> = {}, signal = never) => {
    const file = { bytes: PDF, name: 'report.pdf', mediaType: undefined, charset: undefined, ...more };
    return reader.read(file, { report() {}, signal });
  };
  return { asked: host.asked, url: host.url, read };
}
