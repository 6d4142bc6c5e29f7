import type { Actions } from '../data/actions.ts';
import type { State } from '../data/state.ts';
import type { Store } from '../data/store.ts';

/** What the parts of the page are given besides the state. */
export interface Wiring {
  readonly store: Store<State>;
  readonly actions: Actions;
  /** The element of the viewer, which shows the text by itself. */
  readonly viewer: HTMLElement;
  /** Goes to the next or the previous chunk. */
  move(by: 1 | -1): void;
  /** Selects a chunk, and scrolls to it. */
  show(setting: string, chunk: number): void;
  copyLink(): void;
  saveReport(): void;
}

/** The value of the field or list that an event is about. */
export const valueIn = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value;
