import { html, nothing, type TemplateResult } from 'lit-html';
import { type Code, codeOf } from '../data/code.ts';
import { csv, jsonLines, save } from '../data/export.ts';
import type { Catalogue, Plugin, Run, Setting, Step } from '../data/model.ts';
import { isEffective, type Schema, typesOf } from '../data/schema.ts';
import { replaceFirst, stepOf, withOption } from '../data/settings.ts';
import { copy } from './copy.ts';
import { explained } from './explained.ts';

/** A setting with the actions of its card. */
export interface Card {
  readonly setting: Setting;
  readonly run: Run;
  readonly catalogue: Catalogue;
  readonly isOpen: boolean;
  /** Whether its column is shown if there is room for only one. */
  readonly isActive: boolean;
  readonly canRemove: boolean;
  change(steps: readonly Step[]): void;
  remove(): void;
  toggle(): void;
  notify(notice: string): void;
  savePipeline(name: string): void;
}

/** The form of a setting: the chunker with its options, and the refineries after it. */
export function settingCard(card: Card): TemplateResult {
  const { setting, isOpen, isActive, canRemove } = card;
  const { id, steps } = setting;
  const problem = problemOf(card);
  const close = html`<button class="plain" aria-label="Remove setting ${id}" @click=${card.remove}>✕</button>`;
  return html`<section class="card setting-${id} ${isActive ? 'active' : ''}" aria-label="Setting ${id}">
    <header>
      <span class="letter" aria-hidden="true">${id}</span>
      ${firstChoice(card)}
      <button class="plain" aria-expanded=${isOpen} @click=${card.toggle}>
        ${isOpen ? 'Fewer' : 'Options'}<span class="hidden"> of setting ${id}</span>
      </button>
      ${canRemove ? close : nothing}
    </header>
    ${problem === '' ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    ${
      isOpen
        ? html`${steps.map((_, index) => stepForm(card, index))}${refineryChoice(card)}${settingActions(card)}`
        : html`<p class="brief">${briefOf(steps)}</p>`
    }
  </section>`;
}

/** The options of a setting in a few words. */
export function briefOf([first, ...others]: readonly Step[]): string {
  const given = (step: Step | undefined) =>
    Object.entries(step?.options ?? {})
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ');
  const refined = others.map((step) => ` + ${step.name}${given(step) === '' ? '' : ` (${given(step)})`}`);
  return (given(first) || 'defaults') + refined.join('');
}

function firstChoice({ setting, catalogue, change }: Card): TemplateResult {
  const [step] = setting.steps as [Step];
  const chosen = (event: Event) => {
    const [kind, ...name] = (event.target as HTMLSelectElement).value.split('/');
    const wanted = name.join('/');
    if (kind === 'pipeline') return change([{ kind, name: wanted, options: {} }]);
    const plugin = catalogue.plugins.find((one) => one.kind === 'chunker' && one.name === wanted);
    return change(replaceFirst(setting.steps, plugin as Plugin));
  };
  const option = (value: string, name: string, isMissing = false) =>
    html`<option value=${value} .selected=${value === `${step.kind}/${step.name}`} ?disabled=${isMissing}>
      ${name}${isMissing ? ' (not available)' : ''}
    </option>`;
  const chunkers = catalogue.plugins.filter(({ kind }) => kind === 'chunker');
  const pipelines = catalogue.pipelines.map(({ id, name }) => option(`pipeline/${id}`, name));
  return html`<select class="name" aria-label="Chunker of setting ${setting.id}" @change=${chosen}>
    <optgroup label="Chunkers">
      ${chunkers.map(({ name, missing }) => option(`chunker/${name}`, name, missing.length > 0))}
    </optgroup>
    ${pipelines.length === 0 ? nothing : html`<optgroup label="Stored pipelines">${pipelines}</optgroup>`}
  </select>`;
}

function stepForm(card: Card, index: number): TemplateResult {
  const { setting, catalogue, change } = card;
  const step = setting.steps[index] as Step;
  const plugin = catalogue.plugins.find((one) => one.kind === step.kind && one.name === step.name);
  if (plugin === undefined)
    return html`<p class="brief">The options of a stored pipeline are stored with it.</p>`;
  const shown = shownOptions(step, plugin);
  const remove = () => change(setting.steps.filter((_, at) => at !== index));
  const close = html`<button class="plain" aria-label="Remove ${step.name}" @click=${remove}>✕</button>`;
  return html`<fieldset>
    <legend>${step.name} ${index === 0 ? nothing : close}</legend>
    <p class="brief">${plugin.summary}</p>
    ${shown.map(([name, schema]) =>
      optionField({
        id: `${setting.id}-${index}-${name}`,
        name,
        schema,
        value: step.options[name],
        problem: problemsIn(card.run.error)
          .filter((problem) => isAbout(problem, name))
          .join('; '),
        choices: choicesOf(name, catalogue),
        change: (value) => change(withOption(setting.steps, index, name, value)),
      }),
    )}
  </fieldset>`;
}

function shownOptions(step: Step, { options }: Plugin): (readonly [name: string, schema: Schema])[] {
  return Object.entries(options).filter(([, schema]) => isEffective(schema, options, step.options));
}

/** Why there are no chunks, unless a field of the open form says so already. */
function problemOf({ setting: { steps }, catalogue: { plugins }, run, isOpen }: Card): string {
  const fields = steps.flatMap((step) => {
    const plugin = plugins.find((one) => one.kind === step.kind && one.name === step.name);
    return plugin === undefined ? [] : shownOptions(step, plugin).map(([name]) => name);
  });
  const isShown = (problem: string) => isOpen && fields.some((name) => isAbout(problem, name));
  return problemsIn(run.error)
    .filter((problem) => !isShown(problem))
    .join('; ');
}

const problemsIn = (error: string | undefined) => error?.split('; ') ?? [];

/** Whether a problem is about an option: errors of the service begin with the name of the bad value. */
const isAbout = (problem: string, name: string) =>
  [': ', '[', '.'].some((mark) => problem.startsWith(name + mark));

function choicesOf(name: string, { tokenizers, models }: Catalogue): readonly string[] {
  if (name === 'tokenizer') return tokenizers;
  return name === 'embedding_model' ? models : [];
}

function refineryChoice({ setting, catalogue, change }: Card): TemplateResult | typeof nothing {
  if (setting.steps[0]?.kind === 'pipeline') return nothing;
  const ready = catalogue.plugins.filter(({ kind, missing }) => kind === 'refinery' && missing.length === 0);
  const added = (event: Event) => {
    const target = event.target as HTMLSelectElement;
    const plugin = ready.find(({ name }) => name === target.value);
    target.value = '';
    if (plugin !== undefined) change([...setting.steps, stepOf(plugin)]);
  };
  return html`<select class="add" aria-label="Add a refinery to setting ${setting.id}" @change=${added}>
    <option value="">+ refinery</option>
    ${ready.map(({ name }) => html`<option value=${name}>${name}</option>`)}
  </select>`;
}

const CODES: readonly Code[] = ['curl', 'Python', 'JavaScript', 'Pipeline'];

/** What can be done with a setting and its chunks. */
interface SettingActions {
  readonly setting: Setting;
  readonly run: Run;
  notify(notice: string): void;
  savePipeline(name: string): void;
}

/** Copies a setting as a program, stores it as a pipeline, and saves its chunks as a file. */
function settingActions(actions: SettingActions): TemplateResult {
  const { setting, run, notify } = actions;
  const chosen = (event: Event, act: (value: string) => void) => {
    const target = event.target as HTMLSelectElement;
    act(target.value);
    target.value = '';
  };
  const copyAs = async (code: string) => {
    if (await copy(codeOf(setting, code as Code))) notify(`Copied as ${code}.`);
  };
  const download = (format: string) => {
    const name = `chunks-${setting.id}.${format}`;
    if (format === 'csv') save(name, 'text/csv', csv(run.chunks));
    else save(name, 'application/x-ndjson', jsonLines(run.chunks));
  };
  const isStored = setting.steps[0]?.kind === 'pipeline';
  const stored = (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    actions.savePipeline(String(new FormData(form).get('pipeline')));
    form.reset();
  };
  return html`<div class="actions">
    <select aria-label="Copy setting ${setting.id} as" @change=${(event: Event) => chosen(event, (code) => void copyAs(code))}>
      <option value="">Copy as</option>
      ${CODES.filter((code) => !isStored || code !== 'Pipeline').map((code) => html`<option>${code}</option>`)}
    </select>
    <select aria-label="Download the chunks of setting ${setting.id}" ?disabled=${run.chunks.length === 0}
      @change=${(event: Event) => chosen(event, download)}>
      <option value="">Download</option>
      <option value="jsonl">JSON Lines</option>
      <option value="csv">CSV</option>
    </select>
    ${isStored ? '' : html`<form @submit=${stored}><input name="pipeline" required maxlength="100" aria-label="Name of the pipeline" placeholder="pipeline name"><button>Save</button></form>`}
  </div>`;
}

/** A field of a form, with the handler for its changes. */
interface Field {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  /** `undefined` if the option has its default. */
  readonly value: unknown;
  /** The service's problem with the value; empty if there is none. */
  readonly problem: string;
  /** Names that can be chosen, such as those of tokenizers. */
  readonly choices: readonly string[];
  /** @param value without one, the option is reset to its default */
  change(value: unknown): void;
}

/** A field with its label, its description and its problem. */
function optionField(field: Field): TemplateResult {
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

/** The schema that the form shows for an option: of several alternatives the list, which can express the others. */
function branchOf({ schema }: Field): Schema {
  return schema.anyOf?.find((one) => typesOf(one).includes('array')) ?? schema.anyOf?.[0] ?? schema;
}

const valueIn = (event: Event) => (event.target as HTMLInputElement).value;
/** The elements that describe a field and its problem. */
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

/** The parsed JSON; the text itself if it is invalid, so that the service reports the problem. */
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
