import type { Test } from 'tap';
import createReader from '../../../../../plugins/readers/docling/index.ts';
import { type Asked, type Reply, send } from '../../../../support/hosted-host.ts';
import { startReader } from '../../remote-reader.ts';

/** The form that a request has. */
export async function formIn({ bytes, headers }: Asked): Promise<FormData> {
  const type = { 'content-type': headers['content-type'] ?? '' };
  return new Response(Uint8Array.from(bytes), { headers: type }).formData();
}

/** Answers as docling-serve 1.31 does to a file that it has converted. */
export const converted =
  (markdown: string, more: object = {}): Reply =>
  (_, response) => {
    const others = { json_content: null, html_content: null, text_content: null, doctags_content: null };
    const document = { filename: 'document.pdf', md_content: markdown, ...others };
    const rest = { status: 'success', errors: [], processing_time: 0.1, timings: {} };
    send(response, 200, { document, ...rest, ...more });
  };

/** Answers with what is made of the mark between pages that the request asks for. */
export const withMark =
  (markdownOf: (mark: string) => string): Reply =>
  async (asked, response, count) => {
    const mark = (await formIn(asked)).get('md_page_break_placeholder');
    converted(markdownOf(String(mark)))(asked, response, count);
  };

/** Answers with pages as docling-serve puts them together. */
export const withPages = (...pages: readonly string[]) => withMark((mark) => pages.join(`\n\n${mark}\n\n`));

/** A stand-in for docling-serve, and a reader that is set to it. */
export const startDocling = (t: Test, reply: Reply, env: Readonly<Record<string, string>> = {}) =>
  startReader(t, createReader, 'DOCLING_URL', reply, env);
