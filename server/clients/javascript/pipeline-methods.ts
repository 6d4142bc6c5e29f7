import type {
  ChunkFields,
  Document,
  NamedPipeline,
  Pipeline,
  PipelineChanges,
  PipelineChunk,
  PipelineInput,
} from './api-types.ts';
import type { Batch, Documents, FileFields, FileToSend, LineOf } from './methods.ts';
import type { CallSettings } from './settings.ts';

/** Settings of a change of a pipeline. */
export interface ChangeSettings extends CallSettings {
  /** The `etag` of the pipeline as it was read: one that has changed since then is refused with 412. */
  readonly ifMatch?: string;
}

/** Which pipelines are listed. */
export interface PipelineQuery {
  readonly name?: string;
  /** By default all are listed. */
  readonly limit?: number;
  /** Of the header `x-next-cursor`. */
  readonly cursor?: string;
}

/** The stored pipelines of a service. Offsets are in the `offset_unit` of the config of their chunk steps: code points by default. */
export interface Pipelines {
  /** `POST /v1/pipelines`: 409 if the name is taken. Not sent again if the connection fails. */
  create(pipeline: PipelineInput, settings?: CallSettings): Promise<Pipeline>;
  /** `PUT /v1/pipelines?name=`: makes the pipeline of this name, or replaces it. */
  put(name: string, pipeline: NamedPipeline, settings?: ChangeSettings): Promise<Pipeline>;
  /** `GET /v1/pipelines`, the newest first. */
  list(query?: PipelineQuery, settings?: CallSettings): Promise<Pipeline[]>;
  /** `GET /v1/pipelines/<id>` */
  get(id: string, settings?: CallSettings): Promise<Pipeline>;
  /** `PUT /v1/pipelines/<id>`: what is not given stays. */
  update(id: string, changes: PipelineChanges, settings?: ChangeSettings): Promise<Pipeline>;
  /** `DELETE /v1/pipelines/<id>` */
  delete(id: string, settings?: ChangeSettings): Promise<void>;
  /** `POST /v1/pipelines/<id or name>/execute` of a text. */
  execute(
    idOrName: string,
    request: { readonly text: string } & ChunkFields,
    settings?: CallSettings,
  ): Promise<PipelineChunk[]>;
  /** The same of texts or documents. */
  execute(
    idOrName: string,
    request: Batch & ChunkFields,
    settings?: CallSettings,
  ): Promise<PipelineChunk[][]>;
  /** `POST /v1/pipelines/<id or name>/execute/file` */
  executeFile(
    idOrName: string,
    file: FileToSend | Blob,
    options?: FileFields,
    settings?: CallSettings,
  ): Promise<PipelineChunk[]>;
  /** Any number of documents through a pipeline, as `stream` of the client. */
  stream(
    idOrName: string,
    documents: Documents<Document>,
    options?: ChunkFields,
    settings?: CallSettings,
  ): AsyncGenerator<LineOf<PipelineChunk>, void, undefined>;
}
