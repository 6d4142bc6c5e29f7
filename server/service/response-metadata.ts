/** What plugins report about an answer, by name: the values of the documents, as a header gives them. */
export type Metadata = Readonly<Record<string, string>>;

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

  /**
   * A list for each name: the values of each document, joined by spaces, or `-` if it has none. A value that all
   * documents share is given once.
   */
  summary(): Metadata {
    const names = new Set(this.#documents.flatMap((reported) => [...reported.keys()]));
    return Object.fromEntries([...names].map((name) => [name, this.#summaryOf(name)]));
  }

  #summaryOf(name: string): string {
    const values = this.#documents.map((reported) => [...(reported.get(name) ?? ['-'])].join(' '));
    if (new Set(values).size === 1) return values[0] as string;
    const list = values.join(', ');
    return list.length <= MAX_LENGTH ? list : `${list.slice(0, list.lastIndexOf(',', MAX_LENGTH))}, ...`;
  }
}
