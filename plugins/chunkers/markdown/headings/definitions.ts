import type { MarkdownBlock } from '../../../toolkit/markdown/index.ts';

/** Longest label, with its brackets. */
const MAX_LABEL = 1001;
const LABEL = /^\[\^?((?:[^\]\\]|\\.)*)\]/;

/** The labels that links and footnotes of a text refer to; read when the first one is looked up. */
export class Definitions {
  readonly #text: string;
  readonly #blocks: readonly MarkdownBlock[];
  #links: Set<string> | undefined;
  #notes: Set<string> | undefined;

  constructor(text: string, blocks: readonly MarkdownBlock[]) {
    this.#text = text;
    this.#blocks = blocks;
  }

  hasLink(label: string): boolean {
    this.#links ??= this.#labelsOf('definition');
    return this.#links.has(normal(label));
  }

  /** Whether a footnote has a label. A number alone refers to one wherever that stands. */
  hasNote(label: string): boolean {
    if (/^\d+$/.test(label)) return true;
    this.#notes ??= this.#labelsOf('footnote');
    return this.#notes.has(normal(label));
  }

  #labelsOf(kind: MarkdownBlock['kind']): Set<string> {
    const labels = new Set<string>();
    for (const block of this.#blocks) if (block.kind === kind) labels.add(normal(this.#labelOf(block)));
    return labels;
  }

  #labelOf({ inner, end }: MarkdownBlock): string {
    return LABEL.exec(this.#text.slice(inner, Math.min(end, inner + MAX_LABEL)))?.[1] ?? '';
  }
}

function normal(label: string): string {
  // Letters that differ only in one of both directions are the same.
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();
}
