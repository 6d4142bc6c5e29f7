import { html, nothing, type TemplateResult } from 'lit-html';
import { type Schema, typesOf } from '../data/schema.ts';
import { explained } from './explained.ts';

/** A field of a form, with what it does when its value changes. */
export interface Field {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  /** `undefined` if the option is at its default. */
  readonly value: unknown;
  /** What the service says of the value; empty if nothing. */
  readonly problem: string;
  /** Names that can be chosen, such as those of tokenizers. */
  readonly choices: readonly string[];
  /** @param value without one the option has its default again */
  change(value: unknown): void;
}

/** A field with its label, its description and what is wrong with it. */
export function optionField(field: Field): TemplateResult {
  const { id, name, schema, problem } = field;
  const about = schema.description ?? '';
  return html`<div class="field">
    <span><label for=${id} title=${about}>${name}</label>
      ${about === '' ? nothing : explained('?', about, `${id}-about`, `About ${name}`)}</span>
    ${controlOf(field)}
    ${problem === '' ? nothing : html`<p class="problem" role="alert" id="${id}-problem">${problem}</p>`}
  </div>`;
}

function controlOf(field: Field): TemplateResult {
  const [type = 'string'] = typesOf(branchOf(field));
  if (type === 'enum') return choiceControl(field);
  if (type === 'boolean') return switchControl(field);
  if (type === 'integer' || type === 'number') return numberControl(field, type);
  if (type === 'array' || type === 'object') return jsonControl(field);
  return textControl(field);
}

/** The form of an option that shows it best: of several the list, which the others can be written as. */
function branchOf({ schema }: Field): Schema {
  return schema.anyOf?.find((one) => typesOf(one).includes('array')) ?? schema.anyOf?.[0] ?? schema;
}

const valueIn = (event: Event) => (event.target as HTMLInputElement).value;
/** The elements that say what is wrong with a field, and what it is. */
function described({ id, problem, schema }: Field): string | typeof nothing {
  const ids = [problem && `${id}-problem`, schema.description && `${id}-about`].filter(Boolean);
  return ids.length === 0 ? nothing : ids.join(' ');
}
const isWrong = ({ problem }: Field) => (problem === '' ? 'false' : 'true');

function choiceControl(field: Field): TemplateResult {
  const { id, schema, value, change } = field;
  const current = JSON.stringify(value ?? schema.default ?? null);
  const choices = (branchOf(field).enum ?? []).map((choice) => JSON.stringify(choice));
  return html`<select id=${id} aria-describedby=${described(field)} @change=${(event: Event) => change(JSON.parse(valueIn(event)))}>
    ${choices.map(
      (choice) =>
        html`<option value=${choice} .selected=${choice === current}>${JSON.parse(choice) ?? 'none'}</option>`,
    )}
  </select>`;
}

function switchControl(field: Field): TemplateResult {
  const { id, schema, value, change } = field;
  const changed = (event: Event) => change((event.target as HTMLInputElement).checked);
  const isOn = (value ?? schema.default ?? false) === true;
  return html`<input type="checkbox" id=${id} aria-describedby=${described(field)} .checked=${isOn} @change=${changed}>`;
}

function numberControl(field: Field, type: string): TemplateResult {
  const { id, schema, value, change } = field;
  const changed = (event: Event) => {
    const text = valueIn(event);
    change(text === '' ? undefined : Number(text));
  };
  return html`<input type="number" id=${id} step=${type === 'integer' ? '1' : 'any'}
    min=${schema.minimum ?? nothing} max=${schema.maximum ?? nothing} placeholder=${placeholderOf(schema)}
    .value=${value === undefined ? '' : String(value)} aria-invalid=${isWrong(field)}
    aria-describedby=${described(field)} @input=${changed}>`;
}

function textControl(field: Field): TemplateResult {
  const { id, schema, value, choices, change } = field;
  const names = choices.length > 0 ? choices : (schema.examples ?? []).map(String);
  const list = names.length > 0 ? `${id}-names` : nothing;
  const changed = (event: Event) => change(valueIn(event) === '' ? undefined : valueIn(event));
  return html`<input type="text" id=${id} list=${list} spellcheck="false" autocomplete="off"
      placeholder=${placeholderOf(schema)} .value=${value === undefined ? '' : String(value)}
      aria-invalid=${isWrong(field)} aria-describedby=${described(field)} @change=${changed}>
    ${
      names.length === 0
        ? nothing
        : html`<datalist id="${id}-names">${names.map((name) => html`<option value=${name}></option>`)}</datalist>`
    }`;
}

/** A list or an object, written as JSON. */
function jsonControl(field: Field): TemplateResult {
  const { id, schema, value, change } = field;
  const changed = (event: Event) => {
    const text = valueIn(event);
    change(text === '' ? undefined : parsed(text));
  };
  return html`<input type="text" id=${id} class="json" spellcheck="false" autocomplete="off"
    placeholder=${placeholderOf(schema)} .value=${value === undefined ? '' : JSON.stringify(value)}
    aria-invalid=${isWrong(field)} aria-describedby=${described(field)} @change=${changed}>`;
}

/** The value of JSON; the text itself if it is none, of which the service says what is wrong. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function placeholderOf({ default: value }: Schema): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
