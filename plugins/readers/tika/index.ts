import {
  exposedError,
  type Factory,
  type HostedApi,
  type HostedFailure,
  refusedError,
  type SourceFile,
} from '../../../core/kit.ts';
import { placesOfPages } from '../../toolkit/places.ts';
import type manifest from './manifest.ts';
import { FORMATS } from './manifest.ts';
import { type Markdown, writeMarkdown } from './markdown.ts';

/** Tika's metadata of a file, or of one within it. Tika 3 has `X-TIKA:` where Tika 4 has `tk:`. */
type Entry = Readonly<Record<string, unknown>>;

/** Tika's result for a file. */
interface Parsed extends Markdown, Facts {
  /** Files within the file that it could not read. */
  readonly unread: number;
}

/** Characters of its own errors that are shown. */
const MAX_PROBLEM_LENGTH = 300;
const CONTENT = ['X-TIKA:content', 'tk:content'];
/** Why the main file, or one within it, was not read to its end. */
const CONTAINER_PROBLEMS = ['X-TIKA:EXCEPTION:container_exception', 'tk:exception:container-exception'];
const ATTACHMENT_PROBLEMS = ['X-TIKA:EXCEPTION:embedded_exception', 'tk:exception:embedded-exception'];
/** A limit set by its operator was reached, so that text is missing. */
const LIMITS = [
  'X-TIKA:EXCEPTION:write_limit_reached',
  'tk:exception:write-limit-reached',
  'X-TIKA:EXCEPTION:embedded_resource_limit_reached',
  'tk:exception:embedded-resource-limit-reached',
  'tk:exception:task-deadline-reached',
];

/**
 * Reads an answer of `/rmeta/xml`: the file, followed by the files within it. @throws Error if it is of another kind
 */
function readAnswer(answer: unknown): Parsed | { readonly problem: string } {
  if (!Array.isArray(answer)) throw new Error('it is not a list');
  const [file, ...attachments] = answer as readonly Entry[];
  if (typeof file !== 'object' || file === null) throw new Error('it is empty');
  const problem = firstOf(file, CONTAINER_PROBLEMS);
  if (problem !== undefined) return { problem: shorten(problem) };
  if (firstOf(file, LIMITS) === 'true')
    return { problem: 'a limit of the server was reached, so that text is missing' };
  const parts = [file, ...attachments].map((entry) => firstOf(entry, CONTENT) ?? '');
  const { text, pages } = writeMarkdown(parts.join(''));
  const unread = attachments.filter((entry) => firstOf(entry, ATTACHMENT_PROBLEMS) !== undefined).length;
  // A lone surrogate is not a character, and cannot be encoded.
  return { text: text.toWellFormed(), pages, unread, ...factsOf(file) };
}

function firstOf(entry: Entry, names: readonly string[]): string | undefined {
  const value = [names.map((name) => entry?.[name]).find((one) => one !== undefined)].flat()[0];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The class and the message of a Java exception, without its stack. */
function shorten(exception: string): string {
  const [first = ''] = exception.split('\n', 1);
  return first
    .trim()
    .replace(/\b(?:[a-z]\w*\.)+(?=[A-Z])/g, '')
    .slice(0, MAX_PROBLEM_LENGTH);
}

interface Facts {
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The ones used of Tika's hundred names. */
const AUTHORS = 'dc:creator';
const TITLE = 'dc:title';
const SINGLE = [
  ['subject', 'dc:subject'],
  ['description', 'dc:description'],
  ['publisher', 'dc:publisher'],
  ['language', 'dc:language'],
  ['created', 'dcterms:created'],
  ['modified', 'dcterms:modified'],
] as const;
const PAGE_COUNT = 'xmpTPg:NPages';

/** The metadata of a file, under a few names of our own; missing values are left out. */
function factsOf(entry: Entry): Facts {
  const authors = textsOf(entry[AUTHORS]);
  const single = SINGLE.flatMap(([name, key]) => {
    const text = textsOf(entry[key]).join(', ');
    return text === '' ? [] : [[name, text]];
  });
  const pages = Number(textsOf(entry[PAGE_COUNT])[0]);
  const metadata = {
    ...(authors.length > 0 && { authors }),
    ...Object.fromEntries(single),
    ...(Number.isInteger(pages) && pages > 0 && { page_count: pages }),
  };
  return { title: textsOf(entry[TITLE])[0], metadata };
}

/** A value of Tika is a string, or a list of strings. */
function textsOf(value: unknown): string[] {
  const all = [value].flat();
  return all.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
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
/** Statuses that are about the file; 415 if there is no parser for it. */
const STATUSES_OF_FILES: readonly (number | undefined)[] = [400, 413, 415, 422];

const refusal = (reason: string): Error => refusedError(`The file cannot be read: ${reason}`);

function errorOf({ failure, status, message }: HostedFailure): Error {
  const isOfFile = failure === 'refused' && STATUSES_OF_FILES.includes(status);
  return isOfFile ? refusal(message) : exposedError(message);
}

const createTikaReader: Factory<typeof manifest> = ({ env, hosted }) => {
  const api: HostedApi = {
    title: 'Tika',
    url: `${hosted.baseUrl(env.TIKA_URL, '', 'TIKA_URL')}/rmeta/xml`,
    urlVariable: 'TIKA_URL',
    keyVariable: 'TIKA_URL',
    key: '',
  };
  return {
    async read(file, { report, signal }) {
      signal.throwIfAborted();
      if (file.bytes.length === 0) throw refusal('it is empty');
      const outcome = await hosted.ask(api, {
        method: 'PUT',
        body: file.bytes,
        headers: headersOf(file),
        read: readAnswer,
        expected: 'the text of a file',
        deadline: DEADLINE,
        timeout: DEADLINE,
        retried: BUSY,
        signal,
      });
      if ('failure' in outcome) throw errorOf(outcome);
      if ('problem' in outcome.value) throw refusal(`Tika says: ${outcome.value.problem}`);
      const { text, pages, title, metadata, unread } = outcome.value;
      if (unread > 0) report('unread-attachments', String(unread));
      const places = pages.length > 0 ? placesOfPages(pages, text.length) : undefined;
      const leftOut = unread > 0 ? { unread_attachment: unread } : undefined;
      return { text, mediaType: 'text/markdown', title, metadata, places, leftOut };
    },
  };
};

export default createTikaReader;

/** Tika detects the format of a file, with the extension as a hint: a media type would keep it from detecting. */
const headersOf = (file: SourceFile): Record<string, string> => ({
  accept: 'application/json',
  'content-type': 'application/octet-stream',
  'content-disposition': `attachment; filename="document${extensionOf(file)}"`,
});
