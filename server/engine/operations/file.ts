import type { FromSchema } from 'json-schema-to-ts';
import type { ReadFile } from '../../../core/contracts/reader.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { ResponseMetadata } from '../answer/response-metadata.ts';
import { checkLength, checkMetadata, checkPlaceCount, type Limits } from '../limits.ts';
import type { Operation, Run } from '../operation.ts';
import { fileDocumentSchema } from '../read/document-schemas.ts';
import { type AboutDocument, documentOf, readId, type SourceDocument } from '../read/documents.ts';
import { type FileForm, readForm } from '../read/file-form.ts';
import { findMembers } from '../read/json.ts';
import { problemOfPlaces } from '../read/places.ts';
import {
  isLastResort,
  leftOutInWords,
  leftOutOf,
  readerOf,
  readerOptions,
  readWith,
  unreadFormat,
} from '../read/readers.ts';
import type { Answer, AnyRequest, FileTask } from '../tasks.ts';
import { Refusals } from '../validation/refusals.ts';
import { createValidator } from '../validation/validator.ts';
import { documentsOperationOf, noteStages } from './chunks.ts';
import { runRequest } from './run-request.ts';

/** A request with an unread file. Plain data. */
interface FileRequest extends AnyRequest {
  readonly run: 'file';
  readonly task: FileTask;
  readonly bytes: Uint8Array;
}

export const fileOperation: Operation<FileTask, FileRequest> = {
  // The reader, and whether the body is a form, are known only after the body is parsed.
  plugins: () => undefined,
  read: (task, bytes) => ({ run: 'file', uses: [], task, bytes }),
  run: runFile,
  label: ({ of }) => documentsOperationOf(of).label(of),
};

async function runFile(request: FileRequest, run: Run): Promise<Answer> {
  const begin = performance.now();
  const { form, file, plan, reader, options } = await checkFile(request, run);
  const parseSeconds = secondsSince(begin);
  const metadata = new ResponseMetadata();
  metadata.nextDocument();
  const started = performance.now();
  const context = { report: metadata.report, signal: run.signal, options, sender: request.task.sender };
  const read = await readWith(run.host, reader, file, context).catch((error: unknown) => {
    throw isUnread(error, reader, form) ? unreadFormat(file, run.registry, error.detail) : error;
  });
  const time = { stage: 'read', by: reader.manifest.name, seconds: secondsSince(started) } as const;
  if (read.encoding !== undefined) metadata.report('source-encoding', read.encoding);
  const leftOut = leftOutInWords(leftOutOf(reader.manifest, read));
  if (leftOut !== '') metadata.report('source-left-out', leftOut);
  const input = documentOfFile(reader, form, read, run.limits);
  const stages = { run: request.task.of.run, ...plan, inputs: [input], isBatch: false, parseSeconds };
  const answer = await runRequest(stages, run);
  const { timings } = answer;
  return {
    ...answer,
    reported: [{ ...metadata.reported()[0], ...answer.reported[0] }],
    timings: { ...timings, times: [...timings.times, time] },
  };
}

/**
 * Reads a request except for the content of its file.
 *
 * @throws ServiceError `invalid_parameters` with all problems of the form, the options and the reader
 */
async function checkFile({ task, bytes }: FileRequest, { rules, registry }: Run) {
  const { of } = task;
  const operation = documentsOperationOf(of);
  const known = operation.fieldNames(of, rules);
  const form = await readForm(task, bytes, known);
  const refusals = new Refusals(['invalid_parameters', 'unknown_plugin'], form.problems);
  if (isRequest(form, known)) throw invalid(NOT_A_FILE);
  const plan = refusals.collect(() => operation.planOf(of, form.fields, rules));
  if (plan !== undefined) noteStages(plan, refusals);
  const { file, reader: asked } = form;
  const choice = { named: asked, task: of, registry };
  const reader = file === undefined ? undefined : refusals.collect(() => readerOf(file, choice));
  const options =
    reader === undefined ? undefined : refusals.collect(() => readerOptions(reader, form.readerOptions));
  refusals.collect(() => readGiven(form.document));
  if (file !== undefined && plan !== undefined && reader !== undefined && options !== undefined) {
    if (refusals.problems.length === 0) return { form, file, plan, reader, options };
  }
  throw refusals.error();
}

const NOT_A_FILE =
  'the body is a request in JSON, not a file: send it to the path without "/file", or add filename to chunk the JSON itself';

/** Whether a body without a file name is a JSON request sent to the wrong path, not a file to chunk. */
function isRequest({ isBare, file, filename }: FileForm, known: readonly string[]): boolean {
  if (!isBare || filename !== undefined || file?.mediaType !== 'application/json') return false;
  const members = objectIn(file.bytes);
  if (members === undefined || !('text' in members || 'documents' in members)) return false;
  return Object.keys(members).every((name) => ['text', 'documents', ...known].includes(name));
}

function objectIn(bytes: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a reader of any file has refused a file whose format no other reader accepts. */
function isUnread(
  error: unknown,
  reader: PluginEntry,
  { file, reader: asked }: FileForm,
): error is ServiceError {
  const isRefused = error instanceof ServiceError && error.code === 'invalid_parameters';
  return isRefused && asked === undefined && file !== undefined && isLastResort(reader, file);
}

function secondsSince(begin: number): number {
  return (performance.now() - begin) / 1000;
}

/**
 * Creates the document that a reader made from a file. If the request gives no id, the file name is the id, and
 * also the title if none is known.
 *
 * @throws ServiceError `invalid_parameters` if the request's `document` is invalid or the text is too long;
 *   `broken_promise`
 */
function documentOfFile(
  reader: PluginEntry,
  { filename, document }: FileForm,
  read: ReadFile,
  limits: Limits,
): SourceDocument {
  const { text, title, mediaType, places, leftOutTexts: leftOut } = read;
  checkLength(text, 'file', limits);
  checkPlaces(reader, read);
  const given = readGiven(document);
  const metadata = joinMetadata(read.metadata, given.metadata);
  checkMetadata(metadata, 'document.metadata');
  const name = given.id === undefined ? filename || undefined : undefined;
  const about = {
    id: given.id ?? name,
    title: given.title ?? title ?? name,
    filename,
    mediaType,
    places,
    leftOut,
    metadata,
  };
  return documentOf(text, about);
}

function checkPlaces({ manifest }: PluginEntry, { text, places = [], leftOutTexts = [] }: ReadFile): void {
  checkPlaceCount(places, 'file');
  checkPlaceCount(leftOutTexts, 'file');
  const reason = problemOfPlaces(places, text) ?? problemOfPlaces(leftOutTexts, text, 'leftOutTexts');
  if (reason !== undefined) throw brokenPromise(manifest, reason);
}

const check = createValidator(fileDocumentSchema);

function readGiven(json: string | undefined): Pick<AboutDocument, 'id' | 'title' | 'metadata'> {
  if (json === undefined) return {};
  const given = check(parsed(json), 'document.') as FromSchema<typeof fileDocumentSchema>;
  const { id, title, metadata } = given;
  const body = Buffer.from(json);
  const about = { id: readId(id, body, 0, 'document.'), title };
  if (metadata === undefined) return about;
  const [place] = findMembers(body, 0, ['metadata']);
  return { ...about, metadata: place === undefined ? undefined : body.subarray(place.from, place.to) };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalid('document: expected JSON such as {"id": "handbook", "metadata": {"year": 2026}}');
  }
}

/**
 * Joins the metadata of the file and of the request into the JSON of one object. Values of the request stay
 * as written and take precedence.
 */
function joinMetadata(own: ReadFile['metadata'], given: Uint8Array | undefined): Uint8Array | undefined {
  if (given === undefined) return own === undefined ? undefined : Buffer.from(JSON.stringify(own));
  const json = Buffer.from(given).toString();
  const names = new Set(Object.keys(JSON.parse(json) as object));
  const more = Object.entries(own ?? {}).filter(([name]) => !names.has(name));
  if (more.length === 0) return given;
  const head = JSON.stringify(Object.fromEntries(more)).slice(0, -1);
  const rest = json.slice(1);
  return Buffer.from(names.size === 0 ? `${head}${rest}` : `${head}, ${rest}`);
}
