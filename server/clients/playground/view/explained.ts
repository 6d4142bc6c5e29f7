import { html, nothing, type TemplateResult } from 'lit-html';

/**
 * A word that shows its explanation when pressed, by mouse, touch or key.
 *
 * @param id of the explanation, for other elements that are described by it
 * @param label the name if the word itself is only a mark
 */
export function explained(word: string, about: string, id: string, label?: string): TemplateResult {
  return html`<button type="button" class="term" title=${about} popovertarget=${id} aria-label=${label ?? nothing}
    >${word}</button><span popover id=${id} class="about">${about}</span>`;
}
