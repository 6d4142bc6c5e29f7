import { html, nothing, type TemplateResult } from 'lit-html';
import type { Actions } from '../data/actions.ts';
import type { State, Store } from '../data/state.ts';

export interface Wiring {
  readonly store: Store<State>;
  readonly actions: Actions;
  /** The element of the viewer. The viewer renders the content of this element itself. */
  readonly viewer: HTMLElement;
  move(by: 1 | -1): void;
  show(setting: string, chunk: number): void;
  copyLink(): void;
  saveReport(): void;
}

export const valueIn = (event: Event): string => (event.target as HTMLInputElement | HTMLSelectElement).value;

/**
 * A word that shows its explanation when pressed.
 *
 * @param id of the explanation, for `aria-describedby` of other elements
 * @param label accessible name; by default, the word
 */
export function explained(word: string, about: string, id: string, label?: string): TemplateResult {
  return html`<button type="button" class="term" title=${about} popovertarget=${id} aria-label=${label ?? nothing}
    >${word}</button><span popover id=${id} class="about">${about}</span>`;
}
