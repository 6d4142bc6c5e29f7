import type { Catalogue, Chunk, Hit, Run, Setting, Unit } from './model.ts';

export interface Selection {
  readonly setting: string;
  readonly chunk: number;
}

/** A stretch of the text, `[start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Question {
  readonly question: string;
  readonly answer: Range;
}

export interface Found {
  /** Its best chunks, best first. */
  readonly hits: readonly Hit[];
  /** How well they contain the answer, if that is known. */
  readonly scores: Readonly<Record<'recall' | 'precision' | 'iou', number>> | undefined;
  /** The mean recall of all questions with its 95 % interval, and how many tokens a question finds. */
  readonly mean:
    | {
        readonly recall: number;
        readonly interval: readonly [low: number, high: number];
        readonly tokens: number;
      }
    | undefined;
}

export interface Inquiry {
  readonly question: string;
  readonly retriever: string;
  readonly model: string;
  readonly count: number;
  readonly answer: Range | undefined;
  /** The questions with answers that settings are compared by. */
  readonly kept: readonly Question[];
  /** By the letters of the settings. */
  readonly found: ReadonlyMap<string, Found>;
  /** The tokenizer that counts for all settings; empty if each has its own. */
  readonly tokenizer: string;
  /** Whether it was asked, so that it is repeated for new chunks. */
  readonly isAsked: boolean;
  readonly isAsking: boolean;
  readonly problem: string;
}

/** The file that the text was read from. */
export interface Source {
  readonly file: File;
  readonly reports: Readonly<Record<string, string>>;
}

/** The chunks of a run once more, as the service makes them of the file itself: with their places. */
export interface Located {
  /** The chunks of the run. */
  readonly of: readonly Chunk[];
  /** The same chunks with their places; `undefined` until they have arrived. */
  readonly chunks: readonly Chunk[] | undefined;
  readonly problem: string | undefined;
}

export interface DrawnPage {
  readonly file: File;
  readonly page: number;
  /** The element with it; `undefined` if it cannot be drawn. */
  readonly canvas: object | undefined;
}

export interface State {
  /** Whether there is room for only one column. */
  readonly isNarrow: boolean;
  readonly catalogue: Catalogue | undefined;
  readonly problem: string | undefined;
  readonly needsKey: boolean;
  readonly text: string;
  /** Name of the file or sample that the text came from. */
  readonly source: string;
  /** The file that it was read from, if the service knows places in it. */
  readonly origin: Source | undefined;
  /** Where the chunks of the run with the selected chunk come from. */
  readonly located: Located | undefined;
  readonly showsPages: boolean;
  /** The page that is shown: the first page of the chunk if undefined, or if the chunk is not on it. */
  readonly page: number | undefined;
  readonly drawn: DrawnPage | undefined;
  readonly isEditing: boolean;
  readonly settings: readonly Setting[];
  readonly runs: ReadonlyMap<string, Run>;
  readonly selection: Selection | undefined;
  /** The setting that is shown if there is room for only one. */
  readonly active: string;
  readonly unit: Unit;
  readonly showsDifferences: boolean;
  readonly opened: string | undefined;
  /** Price per million tokens, as typed by the user. */
  readonly price: string;
  /** The tokenizer whose tokens are shown; empty for none. */
  readonly tokenizer: string;
  /** Where the tokens begin in the text. */
  readonly tokens: readonly number[];
  readonly asked: Inquiry;
  readonly sharesText: boolean;
  /** What was done, or what failed; empty once it has been read. */
  readonly notice: string;
}

export interface Store<State> {
  readonly state: State;
  /** Changes members; watchers are notified once for all changes in one turn of the event loop. */
  change(members: Partial<State>): void;
  watch(watcher: (state: State) => void): void;
}

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  let isScheduled = false;
  const watchers: ((state: State) => void)[] = [];
  return {
    get state() {
      return state;
    },
    change(members) {
      state = { ...state, ...members };
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(() => {
        isScheduled = false;
        for (const watcher of watchers) watcher(state);
      });
    },
    watch: (watcher) => void watchers.push(watcher),
  };
}
