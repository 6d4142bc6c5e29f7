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
 * A client of one service. Methods reject with a `ChunksmithError`, or with the abort reason of `settings.signal`.
 * Offsets count UTF-16 units by default, so `text.slice(start_index, end_index)` is a chunk's text.
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
  /** `POST /v1/chunk/<chunker>` for several texts or documents. Returns one list of chunks for each, in order. */
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
   * Chunks any number of documents, and yields one answer per document, in order. Takes only a limited number of
   * documents ahead of the answers that the caller has read. Leaving the loop ends the request. On Node, sends a
   * single request without retries. On other runtimes, sends one request per batch of documents, with retries.
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

  /** `POST /v1/refine/<refinery>` for one list of chunks. */
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

  /** Refines any number of lists of chunks in the same way as `stream`. Yields one answer per list, in order. */
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

  /** `POST /v1/evaluate`. Yields each candidate as soon as it is evaluated, and finally returns the verdict. */
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
