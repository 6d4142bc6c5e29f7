/** Facts about an answer, which go beside it: one value per document and name. */
export type Facts = Readonly<Record<string, string>>;

/** Longest list of values; what does not fit is left off, and an ellipsis says so. */
const MAX_LENGTH = 4_000;

/** Collects what plugins report while the documents of a request are worked on one after the other. */
export class FactsOfDocuments {
  readonly #documents: Map<string, Set<string>>[] = [];

  /** Begins with the next document. */
  nextDocument(): void {
    this.#documents.push(new Map());
  }

  readonly report = (fact: string, value: string): void => {
    const facts = this.#documents.at(-1);
    if (facts === undefined) return;
    const values = facts.get(fact) ?? new Set();
    facts.set(fact, values.add(value));
  };

  /**
   * A list per fact: for each document its values, joined by spaces, or `-`. A value that all documents
   * share is said once.
   */
  summary(): Facts {
    const names = new Set(this.#documents.flatMap((facts) => [...facts.keys()]));
    return Object.fromEntries([...names].map((name) => [name, this.#summaryOf(name)]));
  }

  #summaryOf(name: string): string {
    const values = this.#documents.map((facts) => [...(facts.get(name) ?? ['-'])].join(' '));
    if (new Set(values).size === 1) return values[0] as string;
    const list = values.join(', ');
    return list.length <= MAX_LENGTH ? list : `${list.slice(0, list.lastIndexOf(',', MAX_LENGTH))}, ...`;
  }
}
