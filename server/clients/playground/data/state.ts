import type { Catalogue, Chunk, Hit, Run, Setting, Unit } from './model.ts';

export interface Selection {
  readonly setting: string;
  readonly chunk: number;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Question {
  readonly question: string;
  readonly answer: Range;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** How well the hits contain the answer; undefined if the answer is unknown. */
  readonly scores: Readonly<Record<'recall' | 'precision' | 'iou', number>> | undefined;
  /** The mean recall of all questions with its 95 % interval, and the tokens found per question. */
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
  /** The questions with answers by which settings are compared. */
  readonly kept: readonly Question[];
  readonly found: ReadonlyMap<string, Found>;
  /** The tokenizer that counts for all settings; empty if each uses its own. */
  readonly tokenizer: string;
  /** Whether the question was asked, so that it is repeated for new chunks. */
  readonly isAsked: boolean;
  readonly isAsking: boolean;
  readonly problem: string;
}

export interface Source {
  readonly file: File;
  readonly reports: Readonly<Record<string, string>>;
}

/** The chunks of a run with their places: the service chunks the file itself for that. */
export interface Located {
  readonly of: readonly Chunk[];
  /** The chunks with their places; undefined until they have arrived. */
  readonly chunks: readonly Chunk[] | undefined;
  readonly problem: string | undefined;
}

export interface DrawnPage {
  readonly file: File;
  readonly page: number;
  readonly canvas: object | undefined;
}

export interface State {
  readonly isNarrow: boolean;
  readonly catalogue: Catalogue | undefined;
  readonly problem: string | undefined;
  readonly needsKey: boolean;
  readonly text: string;
  readonly source: string;
  /** The file of the text, if the service knows places in it. */
  readonly origin: Source | undefined;
  readonly located: Located | undefined;
  readonly showsPages: boolean;
  /** The page to show. If undefined, or if the chunk is not on it, the first page of the chunk is shown. */
  readonly page: number | undefined;
  readonly drawn: DrawnPage | undefined;
  readonly isEditing: boolean;
  readonly settings: readonly Setting[];
  readonly runs: ReadonlyMap<string, Run>;
  readonly selection: Selection | undefined;
  readonly active: string;
  readonly unit: Unit;
  readonly showsDifferences: boolean;
  readonly opened: string | undefined;
  /** Price per million tokens, as typed by the user. */
  readonly price: string;
  /** The tokenizer whose tokens are shown; empty for none. */
  readonly tokenizer: string;
  readonly tokens: readonly number[];
  readonly asked: Inquiry;
  readonly sharesText: boolean;
  /** The last action or failure; empty once the user has read it. */
  readonly notice: string;
}

export interface Store<State> {
  readonly state: State;
  /** Changes members. Watchers are notified once for all changes in one turn of the event loop. */
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
