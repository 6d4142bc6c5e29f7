import { html, nothing, type TemplateResult } from 'lit-html';
import type { Chunk, Unit } from '../data/model.ts';
import { unitOf } from '../data/settings.ts';
import type { State } from '../data/state.ts';
import { lengthIn } from '../text/offsets.ts';
import { placesOf, wordsOf } from '../text/where.ts';
import { pagesOf } from './page-panel.ts';
import type { Wiring } from './wiring.ts';

type Place = Pick<Chunk, 'start_index' | 'end_index'>;

const OWN = new Set(['text', 'start_index', 'end_index', 'token_count']);

export function chunkDetails(state: State, { store, move }: Wiring): TemplateResult | typeof nothing {
  const { selection, runs, text, unit } = state;
  const { setting = '', chunk: index = -1 } = selection ?? {};
  const chunks = runs.get(setting)?.chunks ?? [];
  const chunk = chunks[index];
  if (chunk === undefined) return nothing;
  const [start, end] = placeIn(text, chunk, unit);
  const fields = Object.entries(chunk).filter(([name, value]) => !OWN.has(name) && value !== null);
  const isRewritten = chunk.text !== text.slice(chunk.start_index, chunk.end_index);
  return html`<aside class="details setting-${setting}" aria-label="The selected chunk">
    <header>
      <span class="letter">${setting}</span>
      <h2>Chunk ${index + 1} <small>of ${chunks.length}</small></h2>
      ${pagesOf(state).length === 0 ? nothing : pagesButton(state, store)}
      <button class="plain" aria-label="The previous chunk" ?disabled=${index === 0} @click=${() => move(-1)}>←</button>
      <button class="plain" aria-label="The next chunk" ?disabled=${index === chunks.length - 1} @click=${() => move(1)}>→</button>
      <button class="plain" aria-label="Close" @click=${() => store.change({ selection: undefined })}>✕</button>
    </header>
    <dl>
      <div><dt>Range</dt><dd>${start} – ${end} <small>${UNITS[unit]}</small></dd></div>
      <div><dt>Size</dt><dd>${chunk.token_count} <small>${unitIn(state, setting)}</small></dd></div>
      ${originFields(state)}
      ${fields.map(([name, value]) => html`<div><dt>${labelOf(name)}</dt><dd>${shown(value)}</dd></div>`)}
      ${isRewritten ? html`<div class="wide"><dt>Text</dt><dd>${chunk.text}</dd></div>` : nothing}
    </dl>
  </aside>`;
}

function pagesButton({ showsPages }: State, store: Wiring['store']): TemplateResult {
  const toggle = () => store.change({ showsPages: !showsPages });
  return html`<button class="plain" aria-expanded=${showsPages} @click=${toggle}>Page</button>`;
}

function originFields(state: State): TemplateResult | typeof nothing {
  const { origin, located } = state;
  if (origin === undefined) return nothing;
  const words = wordsOf(placesOf(state)) || located?.problem || (located?.chunks ? 'none' : 'reading …');
  return html`<div><dt>Source</dt><dd aria-live="polite" class="where">${words}</dd></div>
    ${Object.entries(origin.reports).map(([name, value]) => html`<div><dt>${labelOf(name)}</dt><dd>${value}</dd></div>`)}`;
}

export const UNITS: Readonly<Record<Unit, string>> = {
  code_point: 'code points',
  utf16: 'UTF-16 units',
  byte: 'bytes',
};

export function placeIn(
  text: string,
  { start_index, end_index }: Place,
  unit: Unit,
): [start: number, end: number] {
  const start = lengthIn(text.slice(0, start_index), unit);
  return [start, start + lengthIn(text.slice(start_index, end_index), unit)];
}

const LABELS: Readonly<Record<string, string>> = {
  'x-left-out-lines': 'Repeated lines left out',
  'x-left-out': 'Parts left out',
  'x-source-left-out': 'Left out',
  'x-pages-without-text': 'Pages without text',
  heading_path: 'Headings',
};

export function labelOf(name: string): string {
  const words = name.replace(/^x-/, '').replaceAll(/[-_]/g, ' ');
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

function unitIn({ settings, catalogue }: State, id: string): string {
  const setting = settings.find((one) => one.id === id);
  return setting === undefined ? '' : unitOf(setting, catalogue).name;
}

function rounded(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

const LONG = 80;

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return rounded(value);
  const isVector =
    Array.isArray(value) && value.length > 8 && value.every((item) => typeof item === 'number');
  if (isVector) return `${value.length} numbers: ${value.slice(0, 4).map(rounded).join(', ')}, …`;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return value.join(' › ') || 'none';
  const line = JSON.stringify(value);
  return line.length < LONG ? line : JSON.stringify(value, null, 1);
}
