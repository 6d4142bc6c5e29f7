import type { Catalogue, Chunk, Hit, Run, Setting, Unit } from './model.ts';

/** The selected chunk of a setting. */
export interface Selection {
  /** Letter of the setting. */
  readonly setting: string;
  readonly chunk: number;
}

/** A stretch of the text, `[start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A question with the stretch of the text that answers it. */
export interface Question {
  readonly question: string;
  readonly answer: Range;
}

/** What a setting finds for the question. */
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

/** A question to the text, and its results. */
export interface Inquiry {
  readonly question: string;
  readonly retriever: string;
  readonly model: string;
  /** The number of chunks wanted. */
  readonly count: number;
  /** The stretch of the text that answers it. */
  readonly answer: Range | undefined;
  /** The questions with answers that settings are compared by. */
  readonly kept: readonly Question[];
  /** By the letters of the settings. */
  readonly found: ReadonlyMap<string, Found>;
  /** What counts the tokens of all settings; empty if each has its own. */
  readonly tokenizer: string;
  /** Whether it was asked, so that it is repeated for new chunks. */
  readonly isAsked: boolean;
  readonly isAsking: boolean;
  readonly problem: string;
}

/** The file that the text was read from. */
export interface Source {
  readonly file: File;
  /** What its reader reported, by header name. */
  readonly reports: Readonly<Record<string, string>>;
}

/** The chunks of a run once more, as the service makes them of the file itself: with their places. */
export interface Located {
  /** The chunks of the run. */
  readonly of: readonly Chunk[];
  /** Those with places; `undefined` until they have arrived. */
  readonly chunks: readonly Chunk[] | undefined;
  readonly problem: string | undefined;
}

/** A page of a PDF. */
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
  /** Why the catalogue is missing. */
  readonly problem: string | undefined;
  readonly needsKey: boolean;
  readonly text: string;
  /** Name of the file or sample that the text came from. */
  readonly source: string;
  /** The file that it was read from, if the service knows places in it. */
  readonly origin: Source | undefined;
  /** Where the chunks of the run with the selected chunk come from. */
  readonly located: Located | undefined;
  /** Whether the pages that the selected chunk is on are shown. */
  readonly showsPages: boolean;
  /** Which of them is; the first if the chunk is not on it. */
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
  /** The setting whose options are open. */
  readonly opened: string | undefined;
  /** Price per million tokens, as typed by the user. */
  readonly price: string;
  /** The tokenizer whose tokens are shown; empty for none. */
  readonly tokenizer: string;
  /** Where its tokens begin in the text. */
  readonly tokens: readonly number[];
  readonly asked: Inquiry;
  /** Whether a copied link includes the text. */
  readonly sharesText: boolean;
  /** What was done, or what failed; empty once it has been read. */
  readonly notice: string;
}

/** Holds the state of the page, and notifies its watchers of changes. */
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
