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
  /** How well the hits cover the answer, from 0 to 1; undefined if the answer is unknown. */
  readonly scores: Readonly<Record<'recall' | 'precision' | 'iou', number>> | undefined;
  /** Means over all questions: recall, its 95 % interval, and tokens found; undefined if the answer is unknown. */
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
  /** The questions with known answers. Settings are compared over all of these questions. */
  readonly kept: readonly Question[];
  readonly found: ReadonlyMap<string, Found>;
  /** The tokenizer that counted the tokens in all settings' hits; empty if each setting used its own. */
  readonly tokenizer: string;
  /** Whether the user has asked the question. If so, the page asks the question again for new chunks. */
  readonly isAsked: boolean;
  readonly isAsking: boolean;
  readonly problem: string;
}

export interface Source {
  readonly file: File;
  readonly reports: Readonly<Record<string, string>>;
}

/** The chunks of a run with their places in the file. `of` are the chunks of the run itself, without places. */
export interface Located {
  readonly of: readonly Chunk[];
  /** The chunks with their places; undefined until the answer arrives. */
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
  /** The file that the text comes from; undefined if the service reported no places in the file. */
  readonly origin: Source | undefined;
  readonly located: Located | undefined;
  readonly showsPages: boolean;
  /** The page that the user chose. If undefined or not a page of the chunk, the chunk's first page is shown. */
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
  /** The tokenizer whose tokens are underlined; empty for none. */
  readonly tokenizer: string;
  readonly tokens: readonly number[];
  readonly asked: Inquiry;
  readonly sharesText: boolean;
  /** A message about the last action or failure; empty as soon as the message is no longer shown. */
  readonly notice: string;
}

export interface Store<State> {
  readonly state: State;
  /** Changes members of the state. Notifies watchers once for all changes in one turn of the event loop. */
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
