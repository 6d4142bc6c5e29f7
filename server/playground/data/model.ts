/** What the modules of the page share. Offsets are UTF-16 units of the text, as JavaScript counts them. */

/** A chunk as the service answers it, with its offsets in UTF-16 units. */
export interface Chunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  readonly [field: string]: unknown;
}

export type Options = Readonly<Record<string, unknown>>;

/** A plugin with its options, or a stored pipeline, which has none. */
export interface Step {
  readonly kind: 'chunker' | 'refinery' | 'pipeline';
  readonly name: string;
  readonly options: Options;
}

/** What is compared: a chunker with refineries behind it, or a stored pipeline. */
export interface Setting {
  /** Letter that it is shown with. */
  readonly id: string;
  readonly steps: readonly Step[];
}

/** What became of a setting on a text. */
export interface Run {
  /** Whether it is of another text or of other options than those that are shown, and is run again. */
  readonly isStale: boolean;
  readonly chunks: readonly Chunk[];
  /** Milliseconds until the answer was there. */
  readonly milliseconds: number;
  /** What the plugins reported, by the names of their headers. */
  readonly reports: Readonly<Record<string, string>>;
  /** Why there is no answer; it may be about single options. */
  readonly error: string | undefined;
}

export const NO_RUN: Run = {
  isStale: false,
  chunks: [],
  milliseconds: 0,
  reports: {},
  error: undefined,
};

export type Unit = 'code_point' | 'utf16' | 'byte';

/** Most settings side by side. */
export const MOST_SETTINGS = 4;
export const LETTERS = ['A', 'B', 'C', 'D'] as const;

/** Most tokens of a chunk, if a setting says so. */
export function limitOf({ steps }: Setting): number | undefined {
  const size = steps[0]?.options.chunk_size;
  return typeof size === 'number' ? size : undefined;
}
