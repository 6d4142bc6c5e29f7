import type {
  Document,
  EmbeddingModel,
  Embeddings,
  EmbedRequest,
  EvaluatedCandidate,
  EvaluateRequest,
  Evaluation,
  GivenChunk,
  Plugin,
  ServiceInfo,
  TokenizedTexts,
  TokenizeRequest,
  Tokenizer,
} from './api-types.ts';
import {
  type Batch,
  type ChunkerName,
  type ChunkOf,
  type ChunkOptions,
  type Documents,
  type FileFields,
  type FileToSend,
  formOf,
  type LineOf,
  type OneText,
  type RefinedOf,
  type RefineOptions,
  type RefineryName,
  withUnit,
} from './inputs.ts';
import { Jobs } from './jobs.ts';
import { Pipelines, Presets } from './pipelines.ts';
import { streamed } from './streams.ts';
import { type CallSettings, type ChunksmithOptions, Transport } from './transport.ts';

/**
 * A client of one service. Every method rejects with a `ChunksmithError`, or with the reason of its `signal`. By
 * default offsets count UTF-16 units: `text.slice(start_index, end_index)` is the chunk.
 */
export class Chunksmith {
  readonly pipelines: Pipelines;
  readonly presets: Presets;
  readonly jobs: Jobs;
  readonly #transport: Transport;

  /** @throws TypeError if the base URL is invalid */
  constructor(options: ChunksmithOptions = {}) {
    this.#transport = new Transport(options);
    this.pipelines = new Pipelines(this.#transport);
    this.presets = new Presets(this.#transport);
    this.jobs = new Jobs(this.#transport);
  }

  /** `POST /v1/chunk/<chunker>` for a text. An empty text has no chunks. */
  chunk<Name extends ChunkerName>(
    chunker: Name,
    request: OneText & ChunkOptions<Name>,
    settings?: CallSettings,
  ): Promise<ChunkOf<Name>[]>;
  /** `POST /v1/chunk/<chunker>` for texts or documents: one list of chunks for each, in their order. */
  chunk<Name extends ChunkerName>(
    chunker: Name,
    request: Batch & ChunkOptions<Name>,
    settings?: CallSettings,
  ): Promise<ChunkOf<Name>[][]>;
  chunk(chunker: string, request: object, settings?: CallSettings): Promise<unknown> {
    return this.#transport.json({ path: chunkPath(chunker), json: withUnit(request) }, settings);
  }

  /** `POST /v1/chunk/<chunker>/file`. Offsets refer to the text that the service extracts from the file. */
  chunkFile<Name extends ChunkerName>(
    chunker: Name,
    file: FileToSend | Blob,
    options?: FileFields & ChunkOptions<Name>,
    settings?: CallSettings,
  ): Promise<ChunkOf<Name>[]> {
    const body = formOf(file, withUnit(options ?? {}));
    return this.#transport.json({ path: `${chunkPath(chunker)}/file`, body }, settings);
  }

  /**
   * Chunks any number of documents, and yields one answer for each, in order. Reads documents only as fast as
   * answers are read, apart from some in transit. Leaving the loop ends the request. Node sends one request and
   * never retries it; other runtimes send one request for every few documents.
   */
  stream<Name extends ChunkerName>(
    chunker: Name,
    documents: Documents<Document>,
    options?: ChunkOptions<Name>,
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<ChunkOf<Name>>, void, undefined> {
    const request = { path: chunkPath(chunker), options: withUnit(options ?? {}), items: documents };
    return streamed(this.#transport, request, settings);
  }

  /** `POST /v1/refine/<refinery>` for chunks. */
  refine<Name extends RefineryName, Input extends GivenChunk>(
    refinery: Name,
    request: { readonly chunks: readonly Input[] } & RefineOptions<Name>,
    settings?: CallSettings,
  ): Promise<(Input & RefinedOf<Name>)[]>;
  /** `POST /v1/refine/<refinery>` for several lists of chunks. */
  refine<Name extends RefineryName, Input extends GivenChunk>(
    refinery: Name,
    request: { readonly chunks: readonly (readonly Input[])[] } & RefineOptions<Name>,
    settings?: CallSettings,
  ): Promise<(Input & RefinedOf<Name>)[][]>;
  refine(refinery: string, request: object, settings?: CallSettings): Promise<unknown> {
    return this.#transport.json({ path: refinePath(refinery), json: request }, settings);
  }

  /** Refines any number of lists of chunks, as `stream` chunks documents. Yields one answer for each list. */
  refineStream<Name extends RefineryName, Input extends GivenChunk>(
    refinery: Name,
    lists: Documents<readonly Input[] | LineOf<Input>>,
    options?: RefineOptions<Name>,
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<Input & RefinedOf<Name>>, void, undefined> {
    const request = { path: refinePath(refinery), options: options ?? {}, items: lists };
    return streamed(this.#transport, request, settings);
  }

  /** `POST /v1/embed` */
  embed(request: EmbedRequest, settings?: CallSettings): Promise<Embeddings> {
    return this.#transport.json({ path: '/v1/embed', json: request }, settings);
  }

  /** `POST /v1/tokenize` */
  tokenize(request: TokenizeRequest, settings?: CallSettings): Promise<TokenizedTexts> {
    return this.#transport.json({ path: '/v1/tokenize', json: withUnit(request) }, settings);
  }

  /** `POST /v1/evaluate` */
  evaluate(request: EvaluateRequest, settings?: CallSettings): Promise<Evaluation> {
    return this.#transport.json({ path: '/v1/evaluate', json: withUnit(request) }, settings);
  }

  /** `POST /v1/evaluate`, yielding each candidate as soon as it is ready. The generator returns the verdict. */
  async *evaluateStream(
    request: EvaluateRequest,
    settings?: CallSettings,
  ): AsyncGenerator<EvaluatedCandidate, Evaluation['verdict'] | undefined, undefined> {
    const call = { path: '/v1/evaluate', json: withUnit(request) };
    for await (const line of this.#transport.lines<EvaluatedCandidate | Pick<Evaluation, 'verdict'>>(
      call,
      settings,
    )) {
      if ('verdict' in line) return line.verdict;
      yield line;
    }
    return undefined;
  }

  /** `GET /v1/plugins` */
  plugins(settings?: CallSettings): Promise<Plugin[]> {
    return this.#get('/v1/plugins', settings);
  }

  /** `GET /v1/models` */
  models(settings?: CallSettings): Promise<EmbeddingModel[]> {
    return this.#get('/v1/models', settings);
  }

  /** `GET /v1/tokenizers` */
  tokenizers(settings?: CallSettings): Promise<Tokenizer[]> {
    return this.#get('/v1/tokenizers', settings);
  }

  /** `GET /` */
  info(settings?: CallSettings): Promise<ServiceInfo> {
    return this.#get('/', settings);
  }

  /** `GET /health`: resolves if the service is alive. */
  health(settings?: CallSettings): Promise<{ status: 'ok' }> {
    return this.#get('/health', settings);
  }

  /** `GET /ready`: rejects with status 503 if the service cannot accept work now. */
  ready(settings?: CallSettings): Promise<{ status: 'ready' }> {
    return this.#get('/ready', settings);
  }

  /** `GET /metrics`, in the text format of Prometheus. */
  metrics(settings?: CallSettings): Promise<string> {
    return this.#transport.text({ method: 'GET', path: '/metrics' }, settings);
  }

  #get<T>(path: string, settings: CallSettings | undefined): Promise<T> {
    return this.#transport.json({ method: 'GET', path }, settings);
  }
}

const chunkPath = (name: string) => `/v1/chunk/${encodeURIComponent(name)}`;
const refinePath = (name: string) => `/v1/refine/${encodeURIComponent(name)}`;
