import type { ChunkFields, Document, PipelineChunk, Preset, PresetOptions } from './api-types.ts';
import { formOf } from './files.ts';
import {
  type Batch,
  type Documents,
  type FileFields,
  type FileToSend,
  type LineOf,
  type OneText,
  withUnit,
} from './inputs.ts';
import type { CallSettings } from './settings.ts';
import { streamed } from './streams.ts';
import type { Transport } from './transport.ts';

/** Steps that are executed by a name: stored pipelines, and presets. @typeParam Options besides what is chunked */
export abstract class Execution<Options extends ChunkFields> {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** `POST <path>/execute` for a text. */
  execute(name: string, request: OneText & Options, settings?: CallSettings): Promise<PipelineChunk[]>;
  /** The same for texts or documents. */
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

  /** Any number of documents, like the client's `stream`. */
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

  /** The path of what has the name. */
  protected abstract pathTo(name: string, settings?: CallSettings): Promise<string>;

  /** A request with what it does not say itself. */
  protected withDefaults(request: object): object {
    return request;
  }
}

/** The presets of a service. Offsets count UTF-16 units, unless a request has another `offset_unit`. */
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
