import {
  exposedError,
  type Factory,
  type HostedApi,
  type HostedFailure,
  refusedError,
  type SourceFile,
} from '../../../core/kit.ts';
import type { DoclingDocument } from './document.ts';
import type manifest from './manifest.ts';
import { FORMATS } from './manifest.ts';
import { writeMarkdown } from './markdown.ts';

const TITLE = /^\s*# +(\S.*)/;
const ESCAPED = /\\([!-/:-@[-`{-~])|&(amp|lt|gt);/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };

/** The first-level heading that a document begins with, without Markdown escapes. */
function titleOf(markdown: string): string | undefined {
  const written = TITLE.exec(markdown)?.[1];
  return written?.trim().replace(ESCAPED, (_, sign?: string, name = '') => sign ?? ENTITIES[name] ?? '');
}

/** The result of docling-serve for a file, or why there is none. */
type Converted = ReturnType<typeof writeMarkdown> | { readonly problem: string };

/** Characters of its own errors that are shown. */
const MAX_PROBLEM_LENGTH = 300;

interface Answer {
  readonly document?: { readonly json_content?: DoclingDocument | null } | null;
  readonly status?: unknown;
  readonly errors?: readonly { readonly error_message?: unknown }[] | null;
}

/**
 * Reads an answer of `/v1/convert/file`. A partial result is not accepted: failed pages are a problem.
 *
 * @throws Error if the answer is of another kind
 */
function readAnswer(answer: unknown): Converted {
  const { document, status, errors } = (answer ?? {}) as Answer;
  if (typeof status !== 'string') throw new Error('it has no status');
  if (status !== 'success') return { problem: problemOf(status, errors ?? []) };
  const json = document?.json_content;
  if (typeof json?.body !== 'object') throw new Error('it has no document as JSON');
  return writeMarkdown(json);
}

function problemOf(status: string, errors: NonNullable<Answer['errors']>): string {
  const messages = errors.flatMap(({ error_message }) =>
    typeof error_message === 'string' && error_message !== '' ? [error_message] : [],
  );
  return [status.replaceAll('_', ' '), ...messages].join('; ').slice(0, MAX_PROBLEM_LENGTH);
}

const EXTENSIONS = Object.keys(FORMATS);

/**
 * The extension that identifies the format of a file: from its name, or for its media type. Empty if neither is
 * known.
 */
function extensionOf({ name = '', mediaType }: SourceFile): string {
  const lower = name.toLowerCase();
  const named = EXTENSIONS.find((extension) => lower.endsWith(extension));
  return named ?? EXTENSIONS.find((extension) => FORMATS[extension] === mediaType) ?? '';
}

/** Milliseconds for one file. Node's own client gives up after five minutes without an answer. */
const DEADLINE = 290_000;
/** Only a busy server is retried: a file that takes too long would take as long the next time. */
const BUSY = [429, 503];
/** docling-serve's 404 answer for a failed conversion. */
const NO_RESULT = /task result not found/i;

const createDoclingReader: Factory<typeof manifest> = ({ env, hosted }) => {
  const api: HostedApi = {
    title: 'Docling',
    url: `${hosted.baseUrl(env.DOCLING_URL, '', 'DOCLING_URL')}/v1/convert/file`,
    urlVariable: 'DOCLING_URL',
    keyVariable: 'DOCLING_API_KEY',
    key: env.DOCLING_API_KEY ?? '',
    keyHeader: 'x-api-key',
  };
  const refusal = (reason: string): Error => refusedError(`The file cannot be read: ${reason}`);
  const errorOf = ({ failure, status = 0, message }: HostedFailure): Error => {
    const isOfFile = failure === 'refused' ? status > 0 : status === 404 && NO_RESULT.test(message);
    return isOfFile ? refusal(message) : exposedError(message);
  };
  return {
    async read(file, { signal }) {
      signal.throwIfAborted();
      if (file.bytes.length === 0) throw refusal('it is empty');
      const limits = { deadline: DEADLINE, timeout: DEADLINE, retried: BUSY };
      const call = { body: formOf(file), read: readAnswer, expected: 'a document', signal };
      const outcome = await hosted.ask(api, { ...call, ...limits });
      if ('failure' in outcome) throw errorOf(outcome);
      if ('problem' in outcome.value) throw refusal(`Docling says: ${outcome.value.problem}`);
      const { text, places } = outcome.value;
      const title = titleOf(text);
      return { text, mediaType: 'text/markdown', title, ...(places.length > 0 && { places }) };
    },
  };
};

export default createDoclingReader;

/** Only the bytes and their format are sent: the name in the request stays private. */
function formOf(file: SourceFile): FormData {
  const form = new FormData();
  const extension = extensionOf(file);
  const type = FORMATS[extension] ?? 'application/octet-stream';
  const blob = new Blob([Uint8Array.from(file.bytes)], { type });
  form.append('files', blob, `document${extension}`);
  form.append('to_formats', 'json');
  form.append('image_export_mode', 'placeholder');
  form.append('include_images', 'false');
  form.append('target_type', 'inbody');
  return form;
}
