import { basename } from 'node:path';
import { MIMEType } from 'node:util';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { invalid, reasonOf, ServiceError } from '../../../core/errors.ts';
import type { Fields, FileTask } from '../tasks.ts';
import { suggest } from '../validation/suggest.ts';
import type { OptionSchema } from '../validation/validator.ts';

export interface FileForm {
  /** Undefined if the form has no file. `problems` then says so. */
  readonly file: SourceFile | undefined;
  /** Whether the whole body is the file, not a form. */
  readonly isBare: boolean;
  /** Problems of the form, as sentences without a full stop. */
  readonly problems: readonly string[];
  /** Name of the file in the request; it may include folders. */
  readonly filename: string | undefined;
  readonly reader: string | undefined;
  readonly readerOptions: string | undefined;
  /** JSON of the request's information about the document. */
  readonly document: string | undefined;
  readonly fields: Fields;
}

const FORM = 'multipart/form-data';
/** Maximum fields of a form: several times the number of a chunker's options. */
const MAX_FIELDS = 1000;
/** Media types from clients that do not know the type of a file, and from curl for any data. */
const SAY_NOTHING: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-www-form-urlencoded',
]);

/**
 * Finds the file of a request: the field `file` of a form, or the whole body.
 *
 * @param known the other fields that the request may have
 * @throws ServiceError `body_empty`, `body_not_form`, `invalid_parameters`
 */
export async function readForm(
  task: FileTask,
  bytes: Uint8Array,
  known: readonly string[],
): Promise<FileForm> {
  const { essence } = mediaTypeOf(task.contentType);
  if (essence === FORM) return formOf(await parseForm(bytes, task.contentType as string), task.query, known);
  const isMissing = bytes.length === 0 && essence === undefined;
  const file = isMissing ? undefined : { bytes, contentType: task.contentType, name: undefined };
  return withNames(file, task.query, { known, isBare: true, problems: isMissing ? [MISSING] : [] });
}

async function parseForm(bytes: Uint8Array, contentType: string): Promise<FormData> {
  if (bytes.length === 0) throw new ServiceError('body_empty');
  try {
    return await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': contentType },
    }).formData();
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    throw new ServiceError('body_not_form', { reason: reasonOf(cause ?? error) });
  }
}

async function formOf(form: FormData, query: Fields, known: readonly string[]): Promise<FileForm> {
  const given = new Map<string, string[]>();
  const files: File[] = [];
  const others = new Set<string>();
  let count = 0;
  for (const [name, value] of form) {
    if (++count > MAX_FIELDS) throw invalid(`the form has more than ${MAX_FIELDS} fields`);
    if (typeof value === 'string') {
      const texts = given.get(name);
      if (texts === undefined) given.set(name, [value]);
      else texts.push(value);
    } else if (name === 'file') files.push(value);
    else others.add(name);
  }
  const { file: notFile, ...fields }: Fields = { ...query, ...Object.fromEntries(given) };
  const [file] = notFile === undefined ? files : [];
  const problems = file === undefined ? [MISSING] : [];
  if (files.length > 1) problems.push(`file: expected one, got ${files.length}; send one request per file`);
  for (const name of others) problems.push(problemOfFile(name, file === undefined ? known : [name]));
  const sent = file && { bytes: await file.bytes(), contentType: file.type, name: file.name };
  return withNames(sent, fields, { known, isBare: false, problems });
}

function problemOfFile(name: string, known: readonly string[]): string {
  return [...ABOUT_FILE, ...known].includes(name)
    ? `${name}: expected a text, got a file`
    : unknownField(name, 'file');
}

const unknownField = (name: string, near: string) =>
  `${name.slice(0, MAX_SHOWN)}: unknown parameter, did you mean "${near}"?`;

const ABOUT_FILE = ['filename', 'reader', 'reader_options', 'document'];
const MAX_SHOWN = 60;

interface SentFile {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly name: string | undefined;
}

interface FormRules extends Pick<FileForm, 'isBare' | 'problems'> {
  readonly known: readonly string[];
}

function withNames(
  sent: SentFile | undefined,
  all: Fields,
  { known, isBare, problems }: FormRules,
): FileForm {
  const { filename, reader, reader_options, document, ...others } = all;
  const found = [...problems];
  const only = (name: string, values: readonly string[] | undefined) => {
    if (values !== undefined && values.length > 1) found.push(`${name}: given ${values.length} times`);
    return values?.[0];
  };
  const fields: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(others)) {
    const near = known.includes(name) ? undefined : suggest(name, [...ABOUT_FILE, 'file', ...known]);
    if (near === undefined || known.includes(near)) fields[name] = values;
    else found.push(unknownField(name, near));
  }
  const named = only('filename', filename) ?? (sent?.name === '' ? undefined : sent?.name);
  return {
    file: sent === undefined ? undefined : sourceFileOf(sent, named),
    isBare,
    filename: named,
    reader: only('reader', reader),
    readerOptions: only('reader_options', reader_options),
    document: only('document', document),
    fields,
    problems: found,
  };
}

function sourceFileOf({ bytes, contentType }: SentFile, named: string | undefined): SourceFile {
  const { essence, charset } = mediaTypeOf(contentType);
  const mediaType = essence === undefined || SAY_NOTHING.has(essence) ? undefined : essence;
  const name = named === undefined ? undefined : basename(named.replaceAll('\\', '/'));
  return { bytes, name, mediaType, charset };
}

interface MediaType {
  /** The media type in lower case, without parameters. */
  readonly essence?: string;
  readonly charset?: string | undefined;
}

function mediaTypeOf(contentType: string | undefined): MediaType {
  try {
    const { essence, params } = new MIMEType(contentType ?? '');
    return { essence, charset: params.get('charset') ?? undefined };
  } catch {
    return {};
  }
}

const MISSING = 'file: missing, expected a file; with curl -F "file=@report.md"';

/**
 * Converts the text fields of a form or a query string to the types of a schema. Numbers, booleans, lists and
 * objects are JSON; a list may also be a repeated field. An unsuitable value stays a text, so that the schema check
 * reports it.
 */
export function fieldValues(fields: Fields, { properties }: ObjectSchema): Record<string, unknown> {
  const values = Object.entries(fields).map(([name, texts]) => [
    name,
    valueOfField(texts, properties[name] ?? {}),
  ]);
  return Object.fromEntries(values);
}

function valueOfField(texts: readonly string[], schema: OptionSchema): unknown {
  const [text = '', ...others] = texts;
  const branches = schema.anyOf ?? [schema];
  const list = branches.find((one) => typesOf(one).includes('array'));
  const items = list?.items ?? {};
  if (others.length > 0) return texts.map((one) => oneOf(one, [items]));
  const value = oneOf(text, branches);
  const isItem = list !== undefined && typeof value === 'string' && !branches.some(isText);
  return isItem ? [oneOf(text, [items])] : value;
}

/** Converts a value for a choice of schemas: to parsed JSON of an allowed type, otherwise to the text. */
function oneOf(text: string, branches: readonly OptionSchema[]): unknown {
  const value = parsed(text);
  const isWanted = branches.some((branch) => typesOf(branch).includes(typeOf(value)));
  const mayBeText = branches.some(isText);
  return isWanted && !(mayBeText && typeof value === 'string') ? value : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(schema: OptionSchema): boolean {
  return typesOf(schema).includes('string');
}

function typesOf(schema: OptionSchema): readonly string[] {
  if (schema.enum !== undefined) return schema.enum.map(typeOf);
  const types = [schema.type ?? []].flat();
  return types.includes('integer') ? [...types, 'number'] : types;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
