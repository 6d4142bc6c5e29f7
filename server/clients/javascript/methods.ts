import type {
  Chunk,
  ChunkFields,
  ChunkerChunks,
  ChunkerOptions,
  Document,
  Embeddings,
  EmbeddingModel,
  EmbedRequest,
  EvaluatedCandidate,
  EvaluateRequest,
  Evaluation,
  FileDocument,
  GivenChunk,
  Plugin,
  RefineryChunks,
  RefineryOptions,
  ServiceInfo,
  StreamLine,
  TokenizedTexts,
  TokenizeRequest,
  Tokenizer,
} from './api-types.ts';
import type { Jobs } from './job-methods.ts';
import type { Pipelines } from './pipeline-methods.ts';
import type { CallSettings } from './settings.ts';

/** A name of the service, or that of a plugin which is not in the OpenAPI document of this version. */
export type NameOf<Known> = (keyof Known & string) | (string & {});
/** The options of a plugin; those of one that is not known can be anything. */
export type OptionsOf<Known, Name> = Name extends keyof Known ? Known[Name] : Readonly<Record<string, unknown>>;

export type ChunkOptions<Name> = OptionsOf<ChunkerOptions, Name> & ChunkFields;
export type ChunkOf<Name> = Name extends keyof ChunkerChunks ? ChunkerChunks[Name] : Chunk;
export type RefineOptions<Name> = OptionsOf<RefineryOptions, Name>;
export type RefinedOf<Name> = Name extends keyof RefineryChunks ? RefineryChunks[Name] : GivenChunk;

/** Several texts, each of which is answered with its own list of chunks. */
export type Batch = { readonly text: readonly string[] } | { readonly documents: readonly Document[] };

/** A file that is sent. Its name and media type tell the service how to read and cut it. */
export interface FileToSend {
  readonly data: Blob | Uint8Array | ArrayBuffer | string;
  /** By default the name of a `File`. */
  readonly name?: string;
  /** By default the type of the `Blob`. */
  readonly mediaType?: string;
}

/** What goes with a file besides the options. */
export interface FileFields extends ChunkFields {
  /** The reader of the file; by default its name and media type decide. */
  readonly reader?: string;
  readonly document?: FileDocument;
}

/** An answer to a line of a stream: `chunks`, or the `error` of this one alone. */
export type LineOf<C> = Omit<StreamLine, 'chunks'> & { readonly chunks?: C[] };

/** What may be iterated over: a list, a generator, an asynchronous generator. */
export type Documents<T> = Iterable<T> | AsyncIterable<T>;

/**
 * All that a service can be asked. Offsets count UTF-16 units unless a request says otherwise, so that
 * `text.slice(start_index, end_index)` is the chunk. Every method rejects with a `ChunksmithError`, or with the
 * reason of the `signal` of its settings.
 */
export interface Methods {
  /** `POST /v1/chunk/<chunker>` of a text. An empty text has no chunks. */
  chunk<Name extends NameOf<ChunkerOptions>>(
    chunker: Name,
    request: { readonly text: string } & ChunkOptions<Name>,
    settings?: CallSettings,
  ): Promise<ChunkOf<Name>[]>;
  /** The same of texts or documents: a list of chunks for each, in their order. */
  chunk<Name extends NameOf<ChunkerOptions>>(
    chunker: Name,
    request: Batch & ChunkOptions<Name>,
    settings?: CallSettings,
  ): Promise<ChunkOf<Name>[][]>;
  /** `POST /v1/chunk/<chunker>/file`. Offsets are those of the text that the service reads in the file. */
  chunkFile<Name extends NameOf<ChunkerOptions>>(
    chunker: Name,
    file: FileToSend | Blob,
    options?: FileFields & OptionsOf<ChunkerOptions, Name>,
    settings?: CallSettings,
  ): Promise<ChunkOf<Name>[]>;
  /**
   * Chunks any number of documents (`POST /v1/chunk/<chunker>` with NDJSON): an answer for each, in their order. No
   * more documents are taken than answers are read, but for some that are on their way. Leaving the loop ends the request.
   *
   * @throws ChunksmithError if the whole stream is refused or cut off. It is never sent again.
   */
  stream<Name extends NameOf<ChunkerOptions>>(
    chunker: Name,
    documents: Documents<Document>,
    options?: ChunkOptions<Name>,
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<ChunkOf<Name>>, void, undefined>;
  /** `POST /v1/refine/<refinery>` of chunks. */
  refine<Name extends NameOf<RefineryOptions>, Given extends GivenChunk>(
    refinery: Name,
    request: { readonly chunks: readonly Given[] } & RefineOptions<Name>,
    settings?: CallSettings,
  ): Promise<(Given & RefinedOf<Name>)[]>;
  /** The same of lists of chunks. */
  refine<Name extends NameOf<RefineryOptions>, Given extends GivenChunk>(
    refinery: Name,
    request: { readonly chunks: readonly (readonly Given[])[] } & RefineOptions<Name>,
    settings?: CallSettings,
  ): Promise<(Given & RefinedOf<Name>)[][]>;
  /** Refines any number of lists of chunks, as `stream` chunks documents; an answer of `stream` is such a list too. */
  refineStream<Name extends NameOf<RefineryOptions>, Given extends GivenChunk>(
    refinery: Name,
    lists: Documents<readonly Given[] | LineOf<Given>>,
    options?: RefineOptions<Name>,
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<Given & RefinedOf<Name>>, void, undefined>;
  /** `POST /v1/embed` */
  embed(request: EmbedRequest, settings?: CallSettings): Promise<Embeddings>;
  /** `POST /v1/tokenize` */
  tokenize(request: TokenizeRequest, settings?: CallSettings): Promise<TokenizedTexts>;
  /** `POST /v1/evaluate` */
  evaluate(request: EvaluateRequest, settings?: CallSettings): Promise<Evaluation>;
  /** The same, with each candidate as soon as it is there. @throws ChunksmithError for what ends all of it */
  evaluateStream(
    request: EvaluateRequest,
    settings?: CallSettings,
  ): AsyncGenerator<EvaluatedCandidate, void, undefined>;
  readonly pipelines: Pipelines;
  readonly jobs: Jobs;
  /** `GET /v1/plugins` */
  plugins(settings?: CallSettings): Promise<Plugin[]>;
  /** `GET /v1/models` */
  models(settings?: CallSettings): Promise<EmbeddingModel[]>;
  /** `GET /v1/tokenizers` */
  tokenizers(settings?: CallSettings): Promise<Tokenizer[]>;
  /** `GET /` */
  info(settings?: CallSettings): Promise<ServiceInfo>;
  /** `GET /health`: it answers if the service is alive. */
  health(settings?: CallSettings): Promise<{ status: 'ok' }>;
  /** `GET /ready`: it rejects with status 503 if no work can be sent there now. */
  ready(settings?: CallSettings): Promise<{ status: 'ready' }>;
  /** `GET /metrics`, in the text format of Prometheus. */
  metrics(settings?: CallSettings): Promise<string>;
}
