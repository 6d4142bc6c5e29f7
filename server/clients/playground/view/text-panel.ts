import { html, nothing, type TemplateResult } from 'lit-html';
import type { Unit } from '../data/model.ts';
import { SAMPLES } from '../data/samples.ts';
import { lengthIn } from '../text/offsets.ts';
import { UNITS } from './chunk-details.ts';

/** The text with its source. */
export interface TextPanel {
  readonly text: string;
  readonly source: string;
  readonly unit: Unit;
  readonly isEditing: boolean;
  /** A sample or a file was chosen. */
  open(text: string, source: string): void;
  openFile(file: File): void;
  edit(text: string): void;
  toggle(): void;
}

/** Longer texts are not put into a field, where layout would take seconds. */
const MOST_EDITED = 300_000;

/** Chooses the text: a sample, a file, or typed text. */
export function textPanel(panel: TextPanel): TemplateResult {
  const { text, source, isEditing } = panel;
  const sampled = (event: Event) => {
    const sample = SAMPLES.find(({ name }) => name === (event.target as HTMLSelectElement).value);
    if (sample !== undefined) panel.open(sample.text, sample.name);
  };
  const chosen = (event: Event) => {
    const target = event.target as HTMLInputElement;
    const [file] = target.files ?? [];
    if (file !== undefined) panel.openFile(file);
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
      <button class="plain" aria-expanded=${isEditing} ?disabled=${text.length > MOST_EDITED} @click=${panel.toggle}>
        ${isEditing ? 'Close' : 'Edit'}
      </button>
    </header>
    ${isEditing && text.length <= MOST_EDITED ? editor(panel) : nothing}
    <p class="brief">${lengthOf(panel)}${endings(text)}. Drop a file anywhere.</p>
  </section>`;
}

function editor({ text, edit }: TextPanel): TemplateResult {
  const hasCrLf = text.includes('\r\n');
  const typed = (event: Event) => {
    const { value } = event.target as HTMLTextAreaElement;
    // A field has only line feeds; a text that had CRLF keeps it.
    edit(hasCrLf ? value.replaceAll('\n', '\r\n') : value);
  };
  return html`<textarea aria-label="The text" spellcheck="false" dir="auto" rows="12"
    .value=${text.replaceAll('\r\n', '\n')} @input=${typed}></textarea>`;
}

let known: readonly [text: string, unit: Unit, length: string] = ['', 'utf16', `0 ${UNITS.utf16}`];

/**
 * The length of the text in the unit of the offsets; counted once, because the panel is rendered again at each
 * keystroke.
 */
function lengthOf({ text, unit }: TextPanel): string {
  if (known[0] !== text || known[1] !== unit)
    known = [text, unit, `${lengthIn(text, unit).toLocaleString('en')} ${UNITS[unit]}`];
  return known[2];
}

function endings(text: string): string {
  return text.includes('\r\n') ? ', lines end with CRLF' : '';
}
