import { Refusal } from '../api-stand-in.ts';

export type Engine = 'elasticsearch' | 'opensearch';
export type Source = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly document_id: string;
  readonly text: string;
  readonly embedding?: readonly number[];
};

/** The body by which an index is made. */
interface IndexBody {
  readonly settings?: { readonly index: { readonly knn: boolean } };
  readonly mappings: {
    readonly dynamic: boolean;
    readonly properties: Readonly<Record<string, { type: string; dims?: number; dimension?: number }>>;
  };
}

interface Filter {
  readonly term?: Readonly<Record<string, string>>;
  readonly terms?: Readonly<Record<string, readonly string[]>>;
  readonly ids?: { readonly values: readonly string[] };
}

export const refuse = (status: number, type: string, reason: string): never => {
  throw new Refusal(status, { error: { root_cause: [], type, reason }, status });
};

/** An index: what was written is found only once it was refreshed. */
export class IndexState {
  readonly body: IndexBody;
  readonly written = new Map<string, Source>();
  found: readonly Source[] = [];

  constructor(body: IndexBody, engine: Engine) {
    this.body = body;
    const vectors = engine === 'elasticsearch' ? 'dense_vector' : 'knn_vector';
    for (const [name, { type }] of Object.entries(body.mappings.properties)) {
      if (!['keyword', 'text', 'object', vectors].includes(type))
        refuse(400, 'mapper_parsing_exception', `No handler for type [${type}] declared on field [${name}]`);
      if (type === 'knn_vector' && body.settings?.index.knn !== true)
        refuse(400, 'illegal_argument_exception', 'index.knn is not set');
    }
  }

  /** What is wrong with a document. */
  problemOf({ embedding, document_id }: Source): string | undefined {
    const { dims, dimension } = this.body.mappings.properties.embedding ?? {};
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

  refresh(query: URLSearchParams): void {
    if (/^(wait_for|true)$/.test(query.get('refresh') ?? '')) this.found = [...this.written.values()];
  }

  /** The ids that a query finds. */
  search(query: unknown): string[] {
    const { filter } = (query as { bool: { filter: readonly Filter[] } }).bool;
    const wanted = filter.flatMap(({ term = {}, terms = {}, ids }) => [
      ...Object.entries(term).map(([name, value]) => [name, [value]] as const),
      ...Object.entries(terms),
      ...(ids === undefined ? [] : [['id', ids.values] as const]),
    ]);
    for (const [name] of wanted)
      if (this.body.mappings.properties[name]?.type !== 'keyword')
        refuse(400, 'illegal_argument_exception', `[${name}] is not a keyword`);
    const isFound = (one: Source) => wanted.every(([name, values]) => values.includes(one[name] as string));
    return this.found.filter(isFound).map(({ id }) => id);
  }
}
