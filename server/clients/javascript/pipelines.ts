import type {
  ChunkFields,
  Document,
  NamedPipeline,
  Pipeline,
  PipelineChanges,
  PipelineChunk,
  PipelineInput,
  Preset,
  PresetOptions,
} from './api-types.ts';
import {
  type Batch,
  type Documents,
  type FileFields,
  type FileToSend,
  formOf,
  type LineOf,
  type OneText,
  withUnit,
} from './inputs.ts';
import { streamed } from './streams.ts';
import type { CallSettings, Transport } from './transport.ts';

/** Executes steps by name: stored pipelines and presets. @typeParam Options request members besides the texts */
abstract class Execution<Options extends ChunkFields> {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** `POST <path>/execute` for a text. */
  execute(name: string, request: OneText & Options, settings?: CallSettings): Promise<PipelineChunk[]>;
  /** `POST <path>/execute` for several texts or documents. */
  execute(name: string, request: Batch & Options, settings?: CallSettings): Promise<PipelineChunk[][]>;
  async execute(name: string, request: object, settings?: CallSettings): Promise<unknown> {
    const path = `${await this.pathTo(name, settings)}/execute`;
    return this.transport.json({ path, json: this.withDefaults(request) }, settings);
  }

  /** `POST <path>/execute/file` */
  async executeFile(
    name: string,
    file: FileToSend | Blob,
    options: FileFields & Partial<Options> = {},
    settings?: CallSettings,
  ): Promise<PipelineChunk[]> {
    const path = `${await this.pathTo(name, settings)}/execute/file`;
    return this.transport.json({ path, body: formOf(file, this.withDefaults(options)) }, settings);
  }

  /** Chunks any number of documents, like `Chunksmith.stream`. */
  async *stream(
    name: string,
    documents: Documents<Document>,
    options: Partial<Options> = {},
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<PipelineChunk>, void, undefined> {
    const path = `${await this.pathTo(name, settings)}/execute`;
    const request = { path, options: this.withDefaults(options), items: documents };
    yield* streamed(this.transport, request, settings);
  }

  protected abstract pathTo(name: string, settings?: CallSettings): Promise<string>;

  protected withDefaults(request: object): object {
    return request;
  }
}

/** The presets of a service. Offsets count UTF-16 units unless a request has another `offset_unit`. */
export class Presets extends Execution<ChunkFields & PresetOptions> {
  /** `GET /v1/presets` */
  list(settings?: CallSettings): Promise<Preset[]> {
    return this.transport.json({ method: 'GET', path: '/v1/presets' }, settings);
  }

  protected async pathTo(name: string): Promise<string> {
    return `/v1/presets/${encodeURIComponent(name)}`;
  }

  protected override withDefaults(request: object): object {
    return withUnit(request);
  }
}

const ROOT = '/v1/pipelines';
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export interface ChangeSettings extends CallSettings {
  /** The `etag` of the pipeline as it was read. If the pipeline has changed since then, the answer is 412. */
  readonly ifMatch?: string | undefined;
}

/** Filters and pages lists of pipelines. */
export interface PipelineQuery {
  readonly name?: string;
  /** Default: all pipelines. */
  readonly limit?: number;
  /** From the header `x-next-cursor`. */
  readonly cursor?: string;
}

/**
 * The stored pipelines of a service. Offsets are in the `offset_unit` stored with the last chunk step. For slices
 * in JavaScript, store `utf16`.
 */
export class Pipelines extends Execution<ChunkFields> {
  /** `POST /v1/pipelines`: 409 if the name is taken. Not repeated after a lost connection. */
  create(pipeline: PipelineInput, settings?: CallSettings): Promise<Pipeline> {
    return this.transport.json({ path: ROOT, json: pipeline, idempotent: false }, settings);
  }

  /** `PUT /v1/pipelines?name=`: creates the pipeline with this name, or replaces it. */
  put(name: string, pipeline: NamedPipeline, settings?: ChangeSettings): Promise<Pipeline> {
    const call = {
      method: 'PUT',
      path: ROOT,
      query: { name },
      json: pipeline,
      ...matching(settings),
    } as const;
    return this.transport.json(call, settings);
  }

  /** `GET /v1/pipelines`, newest first. */
  list(query: PipelineQuery = {}, settings?: CallSettings): Promise<Pipeline[]> {
    return this.transport.json({ method: 'GET', path: ROOT, query }, settings);
  }

  /** `GET /v1/pipelines/<id>` */
  get(id: string, settings?: CallSettings): Promise<Pipeline> {
    return this.transport.json({ method: 'GET', path: pathOf(id) }, settings);
  }

  /** `PUT /v1/pipelines/<id>`: missing members stay unchanged. */
  update(id: string, changes: PipelineChanges, settings?: ChangeSettings): Promise<Pipeline> {
    const call = { method: 'PUT', path: pathOf(id), json: changes, ...matching(settings) } as const;
    return this.transport.json(call, settings);
  }

  /** `DELETE /v1/pipelines/<id>` */
  delete(id: string, settings?: ChangeSettings): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: pathOf(id), ...matching(settings) }, settings);
  }

  /** Looks up the id of a name: the service addresses pipelines only by id. */
  protected async pathTo(idOrName: string, { signal, timeout, maxRetries }: CallSettings = {}) {
    if (ID.test(idOrName)) return pathOf(idOrName);
    const [found] = await this.list({ name: idOrName }, { signal, timeout, maxRetries });
    return pathOf(found?.id ?? idOrName);
  }
}

const pathOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

function matching({ ifMatch }: ChangeSettings = {}): { readonly headers?: Readonly<Record<string, string>> } {
  return ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } };
}
