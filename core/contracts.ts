/**
 * The contracts between the core, the plugins and the server.
 *
 * Offsets here are UTF-16 code units of the source text, as JavaScript counts them. They become code
 * points (or bytes) once, when an answer is written.
 */

/** What a plugin can be. Each kind has a folder of the plural name under `plugins/`. */
export const KINDS = ['chunker', 'refinery', 'embedding', 'tokenizer'] as const;
export type Kind = (typeof KINDS)[number];

/** Names a plugin: `chunker/token`. */
export type PluginId = `${Kind}/${string}`;

/** A JSON Schema of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** What a plugin must find on the machine before it can run. */
export interface Needs {
  /** npm packages, imported inside the factory. */
  readonly packages?: readonly string[];
  /** Environment variables that must be set and not empty. */
  readonly env?: readonly string[];
  /** Files, relative to the plugin's folder. */
  readonly files?: readonly string[];
}

/** What a plugin promises; the contract suite holds it to these. */
export interface Guarantees {
  /** The chunks cover the whole text: without overlap, joined, they are the text. */
  readonly lossless?: boolean;
  /** No chunk has more than `chunk_size` tokens, unless it is one code point. */
  readonly bounded?: boolean;
}

/** The inert half of a plugin: data that can be read without loading what the plugin needs. */
export interface Manifest {
  readonly kind: Kind;
  /** Name of the folder, and of the route: lower case letters, digits and dashes. */
  readonly name: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  /** The plugin's own request parameters, with types, bounds, defaults and descriptions. */
  readonly options?: ObjectSchema;
  /** A request body, without secrets or files, that works when it is pasted. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Fields that a chunker or refinery adds to chunks, as JSON Schemas; for the documentation. */
  readonly fields?: Readonly<Record<string, object>>;
  readonly needs?: Needs;
  /** Environment variables that the plugin reads where they are set; it is given these and `needs.env`. */
  readonly reads?: readonly string[];
  /** Kinds (`tokenizer`) and single plugins (`chunker/sentence`) that this plugin is given. */
  readonly uses?: readonly (Kind | PluginId)[];
  readonly guarantees?: Guarantees;
  /**
   * Loads much, or computes long even for a short text: never run on the event loop. Default false.
   */
  readonly heavy?: boolean;
  /**
   * Names that a tokenizer or embedding plugin answers to. An entry that ends in `*` stands for every
   * name with that beginning; the longest match wins. Several plugins may take `*` alone: they are asked
   * in the order of their names, and the first that has the model opens it.
   */
  readonly models?: readonly string[];
}

/** A stretch `[start, end)` of the source text, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Tokens of the span. When it is left out, the core counts the span's own text. */
  readonly token_count?: number;
  /** Further fields of the chunk, written into the answer as they are. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /**
   * Further fields of the chunk that are lists of stretches of the text, each list in the order of the text;
   * they get `start_index` and `end_index` in the answer's unit.
   */
  readonly located?: Readonly<Record<string, readonly Located[]>>;
}

/** A stretch `[start, end)` of the source text within a chunk, in UTF-16 code units, and what is said of it. */
export interface Located {
  readonly start: number;
  readonly end: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Limits for packing pieces into chunks, in tokens. */
export interface PackLimits {
  /** Most tokens of a chunk. */
  readonly size: number;
  /** Most tokens that a chunk repeats from the one before it; whole pieces only. Default 0. */
  readonly overlap?: number;
  /** Fewest pieces of a chunk, where `size` allows it. Default 1. */
  readonly minPieces?: number;
  /**
   * Estimates the sizes of single pieces, so that less text is counted. The counts of chunks and the
   * limit stay exact; a chunk may hold fewer pieces than it could.
   */
  readonly approximate?: boolean;
}

/** Finds where a text can be cut between `start` and `end`: a new array of rising offsets, without both ends. */
export type CutFinder = (text: string, start: number, end: number) => number[];

/** Limits for dividing a text along a hierarchy of cuts. */
export interface DivideLimits {
  /** Most tokens of a chunk. */
  readonly size: number;
  /** A chunk of fewer code points joins a neighbour where `size` allows it. Default 1. */
  readonly minCharacters?: number;
}

/** What a chunker is given beside the text and the options of the request. */
export interface ChunkContext {
  /** The text as the requested tokenizer reads it, or that of the requested embedding model. */
  readonly tokens: TokenizedText;
  /** The model that the request names, where the manifest uses the kind `embedding`. */
  readonly model: EmbeddingModel;
  /** Says something of how this text was chunked; it is answered as the header `x-<fact>`. */
  readonly report: Report;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Packs the pieces between rising edges (the first one's start, ..., the last one's end) into chunks.
   * A piece that alone is over the limit becomes a chunk of its own.
   */
  pack(edges: ArrayLike<number>, limits: PackLimits): Span[];
  /** Windows of `size` tokens, each repeating the last `overlap` tokens of the one before. */
  windows(size: number, overlap?: number): Span[];
  /**
   * Divides a stretch of the text along a hierarchy: cut by the first finder, what is still over the
   * limit by the next, at last between tokens and between code points.
   */
  divide(range: Span, finders: readonly CutFinder[], limits: DivideLimits): Span[];
}

/**
 * Tells the caller a fact about the answer, beside the answer: `report('code-language', 'go')` becomes the
 * header `x-code-language: go`; for a batch the header lists one value per document. Values are ASCII
 * without commas.
 */
export type Report = (fact: string, value: string) => void;

/** Says where a text is cut. */
export interface Chunker<Options = Record<string, unknown>> {
  /**
   * Returns spans of `text` with rising starts and rising ends. `text` is never empty or white space
   * only. A span's edge must not fall between the two halves of a surrogate pair.
   */
  chunk(text: string, options: Options, context: ChunkContext): readonly Span[] | Promise<readonly Span[]>;
}

/** A chunk as requests and answers carry it; offsets are in the unit that the request chose. */
export interface Chunk {
  text: string;
  start_index: number;
  end_index: number;
  token_count: number;
  [field: string]: unknown;
}

/** What a refinery is given beside the chunks and the options of the request. */
export interface RefineContext {
  /** The tokenizer that the request names, where the manifest uses the kind `tokenizer`. */
  readonly tokenizer: Tokenizer;
  /** The model that the request names, where the manifest uses the kind `embedding`. */
  readonly model: EmbeddingModel;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/**
 * Enriches the chunks of one document. A vector is a `Float32Array` on its chunk; it is written as a list
 * of numbers.
 */
export interface Refinery<Options = Record<string, unknown>> {
  /** Returns new chunks, as many and in the same order; every field it does not know is kept. */
  refine(chunks: readonly Chunk[], options: Options, context: RefineContext): Chunk[] | Promise<Chunk[]>;
}

/** What an embedding plugin's factory returns: it opens models by name. Cheap to make, loads nothing. */
export interface EmbeddingProvider {
  /** Models that can be opened now without a download, or that the provider knows by name. */
  list(): readonly ModelInfo[] | Promise<readonly ModelInfo[]>;
  /** Opens a model, or gives `undefined` where the plugin has none of that name. */
  open(name: string, signal: AbortSignal): Promise<EmbeddingModel | undefined>;
}

/** What the list of models says of one. */
export interface ModelInfo {
  readonly name: string;
  /** Further names that a request may give. */
  readonly aliases?: readonly string[];
  /** Changes with the weights. */
  readonly version?: string;
  /** Numbers of a vector. */
  readonly dimensions?: number;
}

/** A model that is ready to embed. It is opened once per thread and shared by requests. */
export interface EmbeddingModel {
  /** Its own name, also where the request gave an alias. */
  readonly name: string;
  /** Bytes of memory that it takes in this thread alone; tables in shared buffers do not count. */
  readonly bytes: number;
  /** What `chunk_size` counts where a chunker uses this model. */
  tokenizer(): Promise<Tokenizer>;
  /** One vector per text, in order. An empty text has a vector too. */
  embed(texts: readonly string[], request: EmbedRequest): Promise<Vectors>;
  /**
   * Maps a cosine similarity to the scale on which 0.5 means "another topic". Rises strictly. Models
   * without it are compared by the cosine itself.
   */
  calibrate?(cosine: number): number;
  /** Frees what the garbage collector does not. Called once, when no request uses the model. */
  close?(): void | Promise<void>;
}

/** What a model is told beside the texts. */
export interface EmbedRequest {
  /** What the vectors are for: to be found by a search, or to be compared with each other. */
  readonly purpose: 'document' | 'similarity';
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Told how many texts are done, where that takes more than one step. */
  readonly progress?: (done: number) => void;
}

/** Vectors of equal length, one after the other. */
export interface Vectors {
  readonly dimensions: number;
  readonly values: Float32Array;
}

/** Says how big a stretch of text is. */
export interface Tokenizer {
  readonly name: string;
  tokenize(text: string): TokenizedText;
  /**
   * Ids of the tokens of a text, without special tokens; as many as `tokenize(text).ends()`. Only tokenizers
   * of models have it.
   */
  encode?(text: string): Uint32Array;
  /** Ids that the model expects before and after the ids of a text. */
  readonly frame?: { readonly before: readonly number[]; readonly after: readonly number[] };
}

/** One text as a tokenizer reads it. */
export interface TokenizedText {
  /**
   * The number of tokens of `text.slice(start, end)` as a text of its own, exactly. Costs at most time
   * linear in the span.
   */
  count(start: number, end: number): number;
  /**
   * The end of every token of the whole text, in order: offsets into the text, the last one being its
   * length. A token that ends inside a code point is given that code point's end, so offsets may repeat.
   * The list may be shared and must not be changed.
   */
  ends(): Uint32Array;
}

/** What a tokenizer plugin's factory returns: it opens tokenizers by name. */
export interface TokenizerProvider {
  /** Names that can be opened now, for the list in an error and in the documentation. */
  names(): readonly string[] | Promise<readonly string[]>;
  /** Opens a tokenizer, or gives `undefined` where there is none of that name. */
  open(name: string): Promise<Tokenizer | undefined>;
}

/** What every plugin's factory may ask for, by name. */
export interface Collaborators {
  readonly settings: Settings;
  readonly log: Log;
  readonly shared: SharedBuffers;
  readonly models: ModelFiles;
  /** The environment variables that the plugin's manifest names, and no others. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Files of models and tokenizers on this machine, by the model's name. */
export interface ModelFiles {
  /**
   * The path of a model's file, or `undefined` where there is none: from a plugin's own folder `models`, from
   * the models folder, from the hub's local cache, or, where downloads are allowed, fetched from the hub
   * into the models folder. A name that is not one of the hub's (`name` or `owner/name`) finds nothing.
   */
  find(name: string, file: ModelFile, signal?: AbortSignal): Promise<string | undefined>;
  /** Names of the models that have the file on this machine, sorted. */
  names(file: string): Promise<string[]>;
}

/** A file that a model may have. */
export interface ModelFile {
  /** Its path within the model, with `/`: `onnx/model.onnx`. */
  readonly name: string;
  /** A download that is longer is refused. */
  readonly maxBytes: number;
  /** Rejects where the file at `path` is not what it should be; a download is not kept then. */
  readonly check?: (path: string) => Promise<void>;
}

/** Memory that threads can share: a buffer, or a shared `WebAssembly.Memory`, which has one. */
export type SharedMemory = SharedArrayBuffer | { readonly buffer: SharedArrayBuffer };

/** Tables that all threads of the process read, built once. */
export interface SharedBuffers {
  /**
   * Gives the buffer of that key. The first thread that asks builds it, the others wait and get the
   * same memory. A build that fails is reported to its own caller, and the next caller builds again.
   */
  get<Memory extends SharedMemory>(key: string, build: () => Memory | Promise<Memory>): Promise<Memory>;
  /** Says that this thread does not use the buffer any more; when no thread does, it is freed. */
  release(key: string): void;
}

/** The part of the server's configuration that plugins see. */
export interface Settings {
  /** Folder of models and tokenizers: `<modelsDir>/<name>/tokenizer.json`. */
  readonly modelsDir: string;
  /** Folder of the hub's local cache, as the hub's own clients lay it out. */
  readonly hubCacheDir: string;
  /** Whether models may be fetched from the hub. */
  readonly allowDownloads: boolean;
  /** Base URL of the hub. */
  readonly hubEndpoint: string;
  /** Access token for the hub, or an empty string. Never logged. */
  readonly hubToken: string;
  /** Branch, tag or commit of the hub's repositories, never a path; by default `main`. */
  readonly hubRevision: string;
  /** Bytes of memory of the machine, or of the container where that is less. */
  readonly memoryBytes: number;
}

export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** The active half of a plugin, by kind. */
export interface Implementations {
  chunker: Chunker;
  refinery: Refinery;
  embedding: EmbeddingProvider;
  tokenizer: TokenizerProvider;
}

/** Default export of a plugin's `index`: makes the plugin from what it asks for. */
export type Factory<K extends Kind = Kind> = (
  collaborators: Collaborators & Readonly<Record<string, unknown>>,
) => Implementations[K] | Promise<Implementations[K]>;
