import type { ChunkFields, NamedPipeline, Pipeline, PipelineChanges, PipelineInput } from './api-types.ts';
import { Execution } from './execution.ts';
import type { CallSettings } from './settings.ts';

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
export class Pipelines extends Execution<ChunkFields> {
  /** `POST /v1/pipelines`: 409 if the name is taken. Not sent again if the connection is lost. */
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

  /** The service knows pipelines by their ids, so a name is looked up first. */
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
