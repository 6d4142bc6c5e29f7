import { basename } from 'node:path';
import { MIMEType } from 'node:util';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { invalid, reasonOf, ServiceError } from '../../../core/errors.ts';
import type { Fields, FileTask } from '../tasks.ts';

/** The file of a request, and the fields that came with it. */
export interface FileForm {
  readonly file: SourceFile;
  /** Its name in the request, perhaps with folders. */
  readonly filename: string | undefined;
  /** The reader that the request names. */
  readonly reader: string | undefined;
  /** JSON of the reader's options. */
  readonly readerOptions: string | undefined;
  /** JSON of what the request says about the file. */
  readonly document: string | undefined;
  /** The other fields. */
  readonly fields: Fields;
}

const FORM = 'multipart/form-data';
/** Fields of a form: several times the number of a chunker's options. */
const MOST_FIELDS = 1000;
/** Sent by clients that know nothing about a file, and by curl for any data. */
const SAY_NOTHING: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-www-form-urlencoded',
]);

/**
 * Finds the file of a request: in a form it is the field `file`; any other body is the file itself.
 *
 * @throws ServiceError `body_empty`, `body_not_form`, `invalid_parameters`
 */
export async function readForm(task: FileTask, bytes: Uint8Array): Promise<FileForm> {
  const { essence } = mediaTypeOf(task.contentType);
  if (essence === FORM) return formOf(await parseForm(bytes, task.contentType as string), task.query);
  if (bytes.length === 0 && essence === undefined) throw MISSING;
  return withNames({ bytes, contentType: task.contentType, name: undefined }, task.query);
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

async function formOf(form: FormData, query: Fields): Promise<FileForm> {
  const given = new Map<string, string[]>();
  const files: File[] = [];
  let count = 0;
  for (const [name, value] of form) {
    if (++count > MOST_FIELDS) throw invalid(`the form has more than ${MOST_FIELDS} fields`);
    if (typeof value === 'string') {
      const texts = given.get(name);
      if (texts === undefined) given.set(name, [value]);
      else texts.push(value);
    } else if (name === 'file') files.push(value);
    else throw invalid(`${name}: expected a text, got a file`);
  }
  const fields: Fields = { ...query, ...Object.fromEntries(given) };
  const [file, ...others] = files;
  if (file === undefined || fields.file !== undefined) throw MISSING;
  if (others.length > 0) throw invalid(`file: expected one, got ${files.length}; send one request per file`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return withNames({ bytes, contentType: file.type, name: file.name }, fields);
}

/** The bytes of a file with the fields sent along with it. */
interface SentFile {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  readonly name: string | undefined;
}

function withNames({ bytes, contentType, name }: SentFile, all: Fields): FileForm {
  const { filename, reader, reader_options, document, ...fields } = all;
  const known = onlyOne('filename', filename) ?? (name === '' ? undefined : name);
  const { essence, charset } = mediaTypeOf(contentType);
  const mediaType = essence === undefined || SAY_NOTHING.has(essence) ? undefined : essence;
  return {
    file: {
      bytes,
      name: known === undefined ? undefined : basename(known.replaceAll('\\', '/')),
      mediaType,
      charset,
    },
    filename: known,
    reader: onlyOne('reader', reader),
    readerOptions: onlyOne('reader_options', reader_options),
    document: onlyOne('document', document),
    fields,
  };
}

function onlyOne(name: string, values: readonly string[] | undefined): string | undefined {
  if (values !== undefined && values.length > 1) throw invalid(`${name}: given ${values.length} times`);
  return values?.[0];
}

interface MediaType {
  /** In lower case, without parameters. */
  readonly essence?: string;
  readonly charset?: string | undefined;
}

/** The parsed `Content-Type`; empty if it is invalid. */
function mediaTypeOf(contentType: string | undefined): MediaType {
  try {
    const { essence, params } = new MIMEType(contentType ?? '');
    return { essence, charset: params.get('charset') ?? undefined };
  } catch {
    return {};
  }
}

const MISSING = invalid('file: missing, expected a file; with curl -F "file=@report.md"');
