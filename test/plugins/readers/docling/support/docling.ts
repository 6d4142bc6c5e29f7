import type { Test } from 'tap';
import createReader from '../../../../../plugins/readers/docling/index.ts';
import { type Asked, type Reply, send } from '../../../../support/hosted-host.ts';
import { startReader } from '../../remote-reader.ts';

/** The form that a request has. */
export async function formIn({ bytes, headers }: Asked): Promise<FormData> {
  const type = { 'content-type': headers['content-type'] ?? '' };
  return new Response(Uint8Array.from(bytes), { headers: type }).formData();
}

/** A text on a page, in a line of its own. */
const textOn = (page: number, index: number, label: string, text: string) => ({
  self_ref: `#/texts/${index}`,
  label,
  text,
  prov: [
    {
      page_no: page,
      bbox: { l: 10, t: 90, r: 50, b: 80, coord_origin: 'BOTTOMLEFT' },
      charspan: [0, text.length],
    },
  ],
});

/** A document with a text on each page: a title if it begins with `# `. */
export function documentOf(...pages: readonly string[]) {
  const texts = pages.map((text, index) =>
    textOn(index + 1, index, text.startsWith('# ') ? 'title' : 'text', text.replace('# ', '')),
  );
  const sizes = pages.map((_, index) => [
    index + 1,
    { page_no: index + 1, size: { width: 100, height: 100 } },
  ]);
  const children = texts.map(({ self_ref }) => ({ $ref: self_ref }));
  return {
    schema_name: 'DoclingDocument',
    body: { self_ref: '#/body', children },
    texts,
    pages: Object.fromEntries(sizes),
  };
}

/** Answers as docling-serve 1.31 does to a file that it has converted. */
export const converted =
  (json: object | null, more: object = {}): Reply =>
  (_, response) => {
    const others = { md_content: null, html_content: null, text_content: null, doctags_content: null };
    const document = { filename: 'document.pdf', json_content: json, ...others };
    const rest = { status: 'success', errors: [], processing_time: 0.1, timings: {} };
    send(response, 200, { document, ...rest, ...more });
  };

/** A stand-in for docling-serve, and a reader that is set to it. */
export const startDocling = (t: Test, reply: Reply, env: Readonly<Record<string, string>> = {}) =>
  startReader(t, createReader, 'DOCLING_URL', reply, env);
