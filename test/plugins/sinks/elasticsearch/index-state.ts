import { Refusal } from '../../../support/api-stand-in.ts';

export type Engine = 'elasticsearch' | 'opensearch';
export type Source = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  readonly embedding?: readonly number[];
};

interface Field {
  readonly type: string;
  readonly dims?: number;
  readonly dimension?: number;
}

/** The body by which an index is made. */
export interface IndexBody {
  readonly settings?: { readonly index: { readonly knn: boolean } };
  readonly mappings: { readonly dynamic: boolean; readonly properties: Readonly<Record<string, Field>> };
}

interface Query {
  readonly bool: {
    readonly filter: readonly {
      readonly term?: Readonly<Record<string, string>>;
      readonly ids?: { readonly values: readonly string[] };
    }[];
  };
}

export const refuse = (status: number, type: string, reason: string): never => {
  throw new Refusal(status, { error: { root_cause: [], type, reason }, status });
};

const TYPES: Readonly<Record<Engine, readonly string[]>> = {
  elasticsearch: ['keyword', 'text', 'object', 'dense_vector'],
  opensearch: ['keyword', 'text', 'object', 'knn_vector'],
};

/** An index: what was written is found only once it was refreshed. */
export class IndexState {
  readonly body: IndexBody;
  readonly #written = new Map<string, Source>();
  #found: ReadonlyMap<string, Source> = new Map();

  constructor(body: IndexBody, engine: Engine) {
    this.body = body;
    for (const [name, { type }] of Object.entries(body.mappings.properties)) {
      if (!TYPES[engine].includes(type))
        refuse(400, 'mapper_parsing_exception', `No handler for type [${type}] declared on field [${name}]`);
      if (type === 'knn_vector' && body.settings?.index.knn !== true)
        refuse(400, 'illegal_argument_exception', 'index.knn is not set');
    }
  }

  get sources(): readonly Source[] {
    return [...this.#found.values()];
  }

  /** What is wrong with a document. */
  problemOf({ embedding, document_id }: Source): string | undefined {
    const { dims, dimension } = this.body.mappings.properties.embedding ?? { type: '' };
    const wanted = dims ?? dimension;
    if (embedding !== undefined && wanted !== undefined) {
      if (embedding.length !== wanted)
        return `The [dense_vector] field [embedding] has a different number of dimensions [${embedding.length}] than defined in the mapping [${wanted}]`;
      if (embedding.every((value) => value === 0))
        return 'The [cosine] similarity does not support vectors with zero magnitude.';
    }
    if (Buffer.byteLength(document_id) > 32_766)
      return 'Document contains at least one immense term in field="document_id"';
    return undefined;
  }

  write(id: string, source: Source): void {
    this.#written.set(id, source);
  }

  refresh(how: string | null): void {
    if (how === 'wait_for' || how === 'true') this.#found = new Map(this.#written);
  }

  search(query: Query): readonly Source[] {
    let found = this.sources;
    for (const { term, ids } of query.bool.filter) {
      if (ids !== undefined) found = found.filter(({ id }) => ids.values.includes(id));
      for (const [name, value] of Object.entries(term ?? {})) {
        if (this.body.mappings.properties[name]?.type !== 'keyword')
          refuse(400, 'illegal_argument_exception', `[${name}] is not a keyword`);
        found = found.filter((source) => source[name] === value);
      }
    }
    return found;
  }

  /** Returns how many were deleted. */
  delete(query: Query): number {
    const found = this.search(query);
    for (const { id } of found) this.#written.delete(id);
    return found.length;
  }
}
