import type {
  Chunk,
  ChunkerChunks,
  ChunkerOptions,
  ChunkFields,
  Document,
  FileDocument,
  GivenChunk,
  RefineryChunks,
  RefineryOptions,
  StreamLine,
} from './api-types.ts';

/** The name of a plugin: a name in `Known`, or any string, for plugins unknown to this version of the client. */
type NameOf<Known> = (keyof Known & string) | (string & {});
/** The options of a plugin. If the plugin is not in `Known`, any options are accepted. */
type OptionsOf<Known, Name> = Name extends keyof Known ? Known[Name] : Readonly<Record<string, unknown>>;

export type ChunkerName = NameOf<ChunkerOptions>;
export type ChunkOptions<Name> = OptionsOf<ChunkerOptions, Name> & ChunkFields;
export type ChunkOf<Name> = Name extends keyof ChunkerChunks ? ChunkerChunks[Name] : Chunk;

export type RefineryName = NameOf<RefineryOptions>;
export type RefineOptions<Name> = OptionsOf<RefineryOptions, Name>;
export type RefinedOf<Name> = Name extends keyof RefineryChunks ? RefineryChunks[Name] : GivenChunk;

/** A request with one text. The answer is one list of chunks. */
export interface OneText {
  readonly text: string;
}

/** A request with several texts or documents. The answer is one list of chunks for each. */
export type Batch = { readonly text: readonly string[] } | { readonly documents: readonly Document[] };

/** A file to send. The service uses `name` and `mediaType` to decide how to read and chunk the file. */
export interface FileToSend {
  /** A string is sent as UTF-8. */
  readonly data: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | string;
  /** Default: the name of `data` if `data` is a `File`, otherwise `file`. */
  readonly name?: string;
  /** Default: the type of `data` if `data` is a `Blob`, otherwise none. */
  readonly mediaType?: string;
}

/** Fields that are sent with a file, in addition to the options of the chunker. */
export interface FileFields extends ChunkFields {
  /** The name of the reader. By default, the service chooses the reader by the name and media type of the file. */
  readonly reader?: string;
  /** Options of the reader, such as `{ content: 'main' }` for the main content of a web page. */
  readonly reader_options?: Readonly<Record<string, unknown>>;
  readonly document?: FileDocument;
}

/** The answer to one item of a stream: its `chunks`, or an `error` if this item failed. */
export type LineOf<C> = Omit<StreamLine, 'chunks'> & { readonly chunks?: C[] };

/** Anything to iterate over: a list, a generator or an asynchronous generator. */
export type Documents<T> = Iterable<T> | AsyncIterable<T>;

/** Adds `offset_unit: 'utf16'` to a request without `offset_unit`. */
export function withUnit(request: object): object {
  const isGiven = 'offset_unit' in request && request.offset_unit !== undefined;
  return isGiven ? request : { ...request, offset_unit: 'utf16' };
}

export function formOf(file: FileToSend | Blob, options: object): FormData {
  const { data, name, mediaType }: FileToSend = file instanceof Blob ? { data: file } : file;
  const isTyped = data instanceof Blob && mediaType === undefined;
  const blob = isTyped ? data : new Blob([data], { type: mediaType ?? '' });
  const form = new FormData();
  form.set('file', blob, name ?? nameOf(data) ?? 'file');
  for (const [option, value] of Object.entries(options)) {
    if (value !== undefined) form.set(option, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}

function nameOf(data: FileToSend['data']): string | undefined {
  return typeof data === 'object' && 'name' in data && typeof data.name === 'string' ? data.name : undefined;
}
