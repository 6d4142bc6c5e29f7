import type { Factory, ReadFile, Report } from '../../../core/kit.ts';
import { createServiceReader } from '../../toolkit/service-reader.ts';
import type manifest from './manifest.ts';
import { FORMATS } from './manifest.ts';
import { writeMarkdown } from './markdown.ts';

/** HTTP statuses for problems of the file; 415 means that Tika has no parser for it. */
const STATUSES_OF_FILES: readonly (number | undefined)[] = [400, 413, 415, 422];

const createTikaReader: Factory<typeof manifest> = ({ env, hosted }) =>
  createServiceReader(hosted, {
    api: {
      title: 'Tika',
      url: `${hosted.baseUrl(env.TIKA_URL, '', 'TIKA_URL')}/rmeta/xml`,
      urlVariable: 'TIKA_URL',
      keyVariable: 'TIKA_URL',
      key: '',
    },
    formats: FORMATS,
    request: (file, extension) => ({ method: 'PUT', body: file.bytes, headers: headersFor(extension) }),
    expected: 'the text of a file',
    read: readAnswer,
    isFaultOfFile: ({ failure, status }) => failure === 'refused' && STATUSES_OF_FILES.includes(status),
  });

export default createTikaReader;

/** Sends a generic media type, so that Tika detects the format. The extension is a hint. */
const headersFor = (extension: string): Record<string, string> => ({
  accept: 'application/json',
  'content-type': 'application/octet-stream',
  'content-disposition': `attachment; filename="document${extension}"`,
});

/** Tika's metadata of a file, or of an embedded file. Tika 3 writes `X-TIKA:` where Tika 4 writes `tk:`. */
type Entry = Readonly<Record<string, unknown>>;

const CONTENT = ['X-TIKA:content', 'tk:content'];
/** Members that say why the main file was not read to its end. */
const CONTAINER_PROBLEMS = ['X-TIKA:EXCEPTION:container_exception', 'tk:exception:container-exception'];
const ATTACHMENT_PROBLEMS = ['X-TIKA:EXCEPTION:embedded_exception', 'tk:exception:embedded-exception'];
/** Members that report a limit set by the server's operator. The limit was reached, so text is missing. */
const LIMITS = [
  'X-TIKA:EXCEPTION:write_limit_reached',
  'tk:exception:write-limit-reached',
  'X-TIKA:EXCEPTION:embedded_resource_limit_reached',
  'tk:exception:embedded-resource-limit-reached',
  'tk:exception:task-deadline-reached',
];

/** Reads an answer of `/rmeta/xml`: a list of the file and its embedded files. */
function readAnswer(answer: unknown, report: Report): ReadFile | { readonly problem: string } {
  if (!Array.isArray(answer)) throw new Error('it is not a list');
  const [file, ...attachments] = answer as readonly Entry[];
  if (typeof file !== 'object' || file === null) throw new Error('it is empty');
  const problem = firstOf(file, CONTAINER_PROBLEMS);
  if (problem !== undefined) return { problem: withoutStack(problem) };
  if (firstOf(file, LIMITS) === 'true')
    return { problem: 'a limit of the server was reached, so that text is missing' };
  const parts = [file, ...attachments].map((entry) => firstOf(entry, CONTENT) ?? '');
  const { text, places } = writeMarkdown(parts.join(''));
  const unread = attachments.filter((entry) => firstOf(entry, ATTACHMENT_PROBLEMS) !== undefined).length;
  if (unread > 0) report('unread-attachments', String(unread));
  return {
    text,
    title: textsOf(file['dc:title'])[0],
    metadata: metadataOf(file),
    places: places.length > 0 ? places : undefined,
    leftOut: unread > 0 ? { unread_attachment: unread } : undefined,
  };
}

function firstOf(entry: Entry, names: readonly string[]): string | undefined {
  const value = [names.map((name) => entry?.[name]).find((one) => one !== undefined)].flat()[0];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function withoutStack(exception: string): string {
  const [first = ''] = exception.split('\n', 1);
  return first.trim().replace(/\b(?:[a-z]\w*\.)+(?=[A-Z])/g, '');
}

const SINGLE = [
  ['subject', 'dc:subject'],
  ['description', 'dc:description'],
  ['publisher', 'dc:publisher'],
  ['language', 'dc:language'],
  ['created', 'dcterms:created'],
  ['modified', 'dcterms:modified'],
] as const;

function metadataOf(entry: Entry): Readonly<Record<string, unknown>> {
  const authors = textsOf(entry['dc:creator']);
  const single = SINGLE.flatMap(([name, key]) => {
    const text = textsOf(entry[key]).join(', ');
    return text === '' ? [] : [[name, text]];
  });
  const pages = Number(textsOf(entry['xmpTPg:NPages'])[0]);
  return {
    ...(authors.length > 0 && { authors }),
    ...Object.fromEntries(single),
    ...(Number.isInteger(pages) && pages > 0 && { page_count: pages }),
  };
}

/** Tika's values are strings or lists of strings. */
function textsOf(value: unknown): string[] {
  const all = [value].flat();
  return all.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
}
