/** What plugins reported about one document, by name. Plain data. */
export type Reported = Readonly<Record<string, string>>;

/** What plugins report about an answer, by name: the values of the documents, as a header gives them. */
export type Metadata = Readonly<Record<string, string>>;

/** What is reported of vectors that say nothing; nothing if there are none. */
export function reportedEmpty(emptyVectors: number): Reported {
  return emptyVectors === 0 ? {} : { 'embedding-empty': String(emptyVectors) };
}

/** What the log says of vectors that say nothing. */
export const EMPTY_VECTORS =
  'embedding: the model knows no word of some texts, and no search finds them; name an embedding_model of their language';

/** Most characters of a list of values; what does not fit is replaced by an ellipsis. */
const MAX_LENGTH = 4_000;

/** Collects what plugins report about the documents of a request, which are processed one after the other. */
export class ResponseMetadata {
  readonly #documents: Map<string, Set<string>>[] = [];

  /** Assigns what is reported from now on to the next document. */
  nextDocument(): void {
    this.#documents.push(new Map());
  }

  readonly report = (name: string, value: string): void => {
    const reported = this.#documents.at(-1);
    if (reported === undefined) return;
    const values = reported.get(name) ?? new Set();
    reported.set(name, values.add(value));
  };

  /** Adds to what was reported about the last document. */
  add(reported: Reported): void {
    for (const name in reported) this.report(name, reported[name] as string);
  }

  /** What was reported about each document, its values joined by spaces. */
  reported(): Reported[] {
    return this.#documents.map((reported) =>
      Object.fromEntries([...reported].map(([name, values]) => [name, [...values].join(' ')])),
    );
  }
}

/** A list for each name: the values of each document, or `-` if it has none. A value that all share is given once. */
export function metadataOf(documents: readonly Reported[]): Metadata {
  if (documents.every(isEmpty)) return {};
  const names = new Set(documents.flatMap((reported) => Object.keys(reported)));
  return Object.fromEntries([...names].map((name) => [name, valuesOf(name, documents)]));
}

function isEmpty(reported: Reported): boolean {
  for (const _ in reported) return false;
  return true;
}

function valuesOf(name: string, documents: readonly Reported[]): string {
  const values = documents.map((reported) => reported[name] ?? '-');
  if (new Set(values).size === 1) return values[0] as string;
  const list = values.join(', ');
  return list.length <= MAX_LENGTH ? list : `${list.slice(0, list.lastIndexOf(',', MAX_LENGTH))}, ...`;
}
