import { html, nothing, type TemplateResult } from 'lit-html';
import type { Unit } from '../data/model.ts';
import { SAMPLES } from '../data/samples.ts';
import type { State } from '../data/state.ts';
import { lengthIn } from '../text/offsets.ts';
import { UNITS } from './chunk-details.ts';
import { valueIn, type Wiring } from './wiring.ts';

/** Maximum characters of an editable text. The browser needs seconds for the layout of a longer `textarea`. */
const MAX_EDITED = 300_000;

export function textPanel(
  { text, source, unit, isEditing }: State,
  { store, actions }: Wiring,
): TemplateResult {
  const sampled = (event: Event) => {
    const sample = SAMPLES.find(({ name }) => name === valueIn(event));
    if (sample !== undefined) actions.openText(sample.text, sample.name);
  };
  const chosen = (event: Event) => {
    const target = event.target as HTMLInputElement;
    const [file] = target.files ?? [];
    if (file !== undefined) void actions.openFile(file);
    target.value = '';
  };
  const isSample = SAMPLES.some(({ name }) => name === source);
  return html`<section class="card" aria-label="Text">
    <header>
      <select class="name" aria-label="Sample text" @change=${sampled}>
        ${isSample ? nothing : html`<option .selected=${true}>${source}</option>`}
        ${SAMPLES.map(({ name }) => html`<option value=${name} .selected=${name === source}>${name}</option>`)}
      </select>
      <label class="button">Open file<input type="file" class="hidden" @change=${chosen}></label>
      <button class="plain" aria-expanded=${isEditing} ?disabled=${text.length > MAX_EDITED} @click=${() => store.change({ isEditing: !isEditing })}>
        ${isEditing ? 'Close' : 'Edit'}
      </button>
    </header>
    ${isEditing && text.length <= MAX_EDITED ? editor(text, (edited) => actions.edit(edited)) : nothing}
    <p class="brief">${lengthOf(text, unit)}${endings(text)}. Drop a file anywhere.</p>
  </section>`;
}

function editor(text: string, edit: (text: string) => void): TemplateResult {
  const hasCrLf = text.includes('\r\n');
  const typed = (event: Event) => {
    const value = valueIn(event);
    // A `textarea` contains only LF. If the text had CRLF, restores CRLF.
    edit(hasCrLf ? value.replaceAll('\n', '\r\n') : value);
  };
  return html`<textarea aria-label="The text" spellcheck="false" dir="auto" rows="12"
    .value=${text.replaceAll('\r\n', '\n')} @input=${typed}></textarea>`;
}

let known: readonly [text: string, unit: Unit, length: string] = ['', 'utf16', `0 ${UNITS.utf16}`];

/** The length of the text with its unit. Cached, because every keystroke renders the panel again. */
function lengthOf(text: string, unit: Unit): string {
  if (known[0] !== text || known[1] !== unit)
    known = [text, unit, `${lengthIn(text, unit).toLocaleString('en')} ${UNITS[unit]}`];
  return known[2];
}

function endings(text: string): string {
  return text.includes('\r\n') ? ', lines end with CRLF' : '';
}
