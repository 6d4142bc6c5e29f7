import type {
  ChunkFields,
  Document,
  NamedPipeline,
  Pipeline,
  PipelineChanges,
  PipelineChunk,
  PipelineInput,
} from './api-types.ts';
import { formOf } from './files.ts';
import type { Batch, Documents, FileFields, FileToSend, LineOf, OneText } from './inputs.ts';
import type { CallSettings } from './settings.ts';
import { streamed } from './streams.ts';
import type { Transport } from './transport.ts';

const ROOT = '/v1/pipelines';
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Settings for changing a pipeline. */
export interface ChangeSettings extends CallSettings {
  /** The header `etag` of the pipeline as it was read: if it has changed since then, the answer is 412. */
  readonly ifMatch?: string | undefined;
}

/** Which pipelines are listed. */
export interface PipelineQuery {
  readonly name?: string;
  /** By default all are listed. */
  readonly limit?: number;
  /** From the header `x-next-cursor`. */
  readonly cursor?: string;
}

/**
 * The stored pipelines of a service. Offsets are in the `offset_unit` of the config of their last chunk step, which
 * is stored with it: JavaScript needs `utf16` for slices.
 */
export class Pipelines {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** `POST /v1/pipelines`: 409 if the name is taken. Not sent again if the connection is lost. */
  create(pipeline: PipelineInput, settings?: CallSettings): Promise<Pipeline> {
    return this.#transport.json({ path: ROOT, json: pipeline, isOnce: true }, settings);
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
    return this.#transport.json(call, settings);
  }

  /** `GET /v1/pipelines`, newest first. */
  list(query: PipelineQuery = {}, settings?: CallSettings): Promise<Pipeline[]> {
    return this.#transport.json({ method: 'GET', path: ROOT, query }, settings);
  }

  /** `GET /v1/pipelines/<id>` */
  get(id: string, settings?: CallSettings): Promise<Pipeline> {
    return this.#transport.json({ method: 'GET', path: pathOf(id) }, settings);
  }

  /** `PUT /v1/pipelines/<id>`: missing members stay unchanged. */
  update(id: string, changes: PipelineChanges, settings?: ChangeSettings): Promise<Pipeline> {
    const call = { method: 'PUT', path: pathOf(id), json: changes, ...matching(settings) } as const;
    return this.#transport.json(call, settings);
  }

  /** `DELETE /v1/pipelines/<id>` */
  delete(id: string, settings?: ChangeSettings): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: pathOf(id), ...matching(settings) }, settings);
  }

  /** `POST /v1/pipelines/<id>/execute` for a text. */
  execute(
    idOrName: string,
    request: OneText & ChunkFields,
    settings?: CallSettings,
  ): Promise<PipelineChunk[]>;
  /** The same for texts or documents. */
  execute(
    idOrName: string,
    request: Batch & ChunkFields,
    settings?: CallSettings,
  ): Promise<PipelineChunk[][]>;
  async execute(idOrName: string, request: object, settings?: CallSettings): Promise<unknown> {
    return this.#transport.json({ path: await this.#execution(idOrName, settings), json: request }, settings);
  }

  /** `POST /v1/pipelines/<id>/execute/file` */
  async executeFile(
    idOrName: string,
    file: FileToSend | Blob,
    options: FileFields = {},
    settings?: CallSettings,
  ): Promise<PipelineChunk[]> {
    const path = `${await this.#execution(idOrName, settings)}/file`;
    return this.#transport.json({ path, body: formOf(file, options) }, settings);
  }

  /** Any number of documents, like the client's `stream`. */
  async *stream(
    idOrName: string,
    documents: Documents<Document>,
    options: ChunkFields = {},
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<PipelineChunk>, void, undefined> {
    const path = await this.#execution(idOrName, settings);
    yield* streamed(this.#transport, { path, options, items: documents }, settings);
  }

  /** The service knows pipelines by their ids, so a name is looked up first. */
  async #execution(idOrName: string, { signal, timeout, maxRetries }: CallSettings = {}): Promise<string> {
    if (ID.test(idOrName)) return `${pathOf(idOrName)}/execute`;
    const [found] = await this.list({ name: idOrName }, { signal, timeout, maxRetries });
    return `${pathOf(found?.id ?? idOrName)}/execute`;
  }
}

const pathOf = (id: string) => `${ROOT}/${encodeURIComponent(id)}`;

function matching({ ifMatch }: ChangeSettings = {}): { readonly headers?: Readonly<Record<string, string>> } {
  return ifMatch === undefined ? {} : { headers: { 'if-match': ifMatch } };
}
