import type { Factory, ReadFile, SourceFile } from '../../../core/kit.ts';
import { createServiceReader } from '../../toolkit/service-reader.ts';
import type { DoclingDocument } from './document.ts';
import type manifest from './manifest.ts';
import { FORMATS } from './manifest.ts';
import { writeMarkdown } from './markdown.ts';

/** docling-serve answers a failed conversion with status 404 and this text. */
const NO_RESULT = /task result not found/i;

const createDoclingReader: Factory<typeof manifest> = ({ env, hosted }) =>
  createServiceReader(hosted, {
    api: {
      title: 'Docling',
      url: `${hosted.baseUrl(env.DOCLING_URL, '', 'DOCLING_URL')}/v1/convert/file`,
      urlVariable: 'DOCLING_URL',
      keyVariable: 'DOCLING_API_KEY',
      key: env.DOCLING_API_KEY ?? '',
      keyHeader: 'x-api-key',
    },
    formats: FORMATS,
    request: (file, extension) => ({ body: formOf(file, extension) }),
    expected: 'a document',
    read: readAnswer,
    isFaultOfFile: ({ failure, status = 0, message }) =>
      failure === 'refused' ? status > 0 : status === 404 && NO_RESULT.test(message),
  });

export default createDoclingReader;

function formOf(file: SourceFile, extension: string): FormData {
  const form = new FormData();
  const type = FORMATS[extension] ?? 'application/octet-stream';
  const blob = new Blob([Uint8Array.from(file.bytes)], { type });
  form.append('files', blob, `document${extension}`);
  form.append('to_formats', 'json');
  form.append('image_export_mode', 'placeholder');
  form.append('include_images', 'false');
  form.append('target_type', 'inbody');
  return form;
}

interface Answer {
  readonly document?: { readonly json_content?: DoclingDocument | null } | null;
  readonly status?: unknown;
  readonly errors?: readonly { readonly error_message?: unknown }[] | null;
}

/** A partial result is treated as a problem, because some pages of it have failed. */
function readAnswer(answer: unknown): ReadFile | { readonly problem: string } {
  const { document, status, errors } = (answer ?? {}) as Answer;
  if (typeof status !== 'string') throw new Error('it has no status');
  if (status !== 'success') return { problem: problemOf(status, errors ?? []) };
  const json = document?.json_content;
  if (typeof json?.body !== 'object') throw new Error('it has no document as JSON');
  const { text, places } = writeMarkdown(json);
  return { text, title: titleOf(text), ...(places.length > 0 && { places }) };
}

function problemOf(status: string, errors: NonNullable<Answer['errors']>): string {
  const messages = errors.flatMap(({ error_message }) =>
    typeof error_message === 'string' && error_message !== '' ? [error_message] : [],
  );
  return [status.replaceAll('_', ' '), ...messages].join('; ');
}

const TITLE = /^\s*# +(\S.*)/;
const ESCAPED = /\\([!-/:-@[-`{-~])|&(amp|lt|gt);/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

function titleOf(markdown: string): string | undefined {
  const written = TITLE.exec(markdown)?.[1];
  return written?.trim().replace(ESCAPED, (_, sign?: string, name = '') => sign ?? ENTITIES[name] ?? '');
}
