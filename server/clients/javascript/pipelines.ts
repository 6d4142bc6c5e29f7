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

/** Executes stored pipelines or presets. @typeParam Options request members other than the texts */
abstract class Execution<Options extends ChunkFields> {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** `POST <path>/execute` for one text. */
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

  /** Chunks any number of documents in the same way as `Chunksmith.stream`. */
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

/** The presets of a service. By default, offsets count UTF-16 units; a request may set another `offset_unit`. */
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
  /** The `etag` header from reading the pipeline. The service answers 412 if the pipeline has changed since then. */
  readonly ifMatch?: string | undefined;
}

/** Selects the entries and the page of a list of pipelines. */
export interface PipelineQuery {
  readonly name?: string;
  /** Maximum number of pipelines; default all. */
  readonly limit?: number;
  /** The header `x-next-cursor` of the previous page; undefined for the first page. */
  readonly cursor?: string;
}

/**
 * The stored pipelines of a service. Offsets use the `offset_unit` of the pipeline's last chunk step. Only pipelines
 * stored with `utf16` give offsets for `slice` in JavaScript.
 */
export class Pipelines extends Execution<ChunkFields> {
  /** `POST /v1/pipelines`: 409 if the name is taken. Never repeated after a lost connection. */
  create(pipeline: PipelineInput, settings?: CallSettings): Promise<Pipeline> {
    return this.transport.json({ path: ROOT, json: pipeline, idempotent: false }, settings);
  }

  /** `PUT /v1/pipelines?name=`: creates a pipeline, or replaces the pipeline with this name. */
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

  /** `GET /v1/pipelines`, newest first. Without a limit, reads all pages. */
  async list(query: PipelineQuery = {}, settings: CallSettings = {}): Promise<Pipeline[]> {
    const pipelines: Pipeline[] = [];
    let cursor: string | undefined = query.cursor;
    do {
      const call = { method: 'GET', path: ROOT, query: { ...query, cursor } } as const;
      const onHeaders = (headers: Headers) => {
        cursor = headers.get('x-next-cursor') ?? undefined;
        settings.onHeaders?.(headers);
      };
      pipelines.push(...(await this.transport.json<Pipeline[]>(call, { ...settings, onHeaders })));
    } while (cursor !== undefined && query.limit === undefined);
    return pipelines;
  }

  /** `GET /v1/pipelines/<id>` */
  get(id: string, settings?: CallSettings): Promise<Pipeline> {
    return this.transport.json({ method: 'GET', path: pathOf(id) }, settings);
  }

  /** `PUT /v1/pipelines/<id>`: members missing in `changes` stay unchanged. */
  update(id: string, changes: PipelineChanges, settings?: ChangeSettings): Promise<Pipeline> {
    const call = { method: 'PUT', path: pathOf(id), json: changes, ...matching(settings) } as const;
    return this.transport.json(call, settings);
  }

  /** `DELETE /v1/pipelines/<id>` */
  delete(id: string, settings?: ChangeSettings): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: pathOf(id), ...matching(settings) }, settings);
  }

  /** Looks up the id of a pipeline given by name, because the paths of the service accept only ids. */
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
