import { html, nothing, type TemplateResult } from 'lit-html';
import { CODES, type Code, codeOf } from '../data/code.ts';
import {
  type Catalogue,
  isEffective,
  NO_RUN,
  type Plugin,
  type Run,
  type Schema,
  type Setting,
  type Step,
  typesOf,
} from '../data/model.ts';
import { pluginOf, presetOf, presetSteps, replaceFirst, stepOf, withOption } from '../data/settings.ts';
import type { State } from '../data/state.ts';
import { cellOf, copy, csv, jsonLines, save } from './export.ts';
import { explained, valueIn, type Wiring } from './wiring.ts';

interface Card extends Wiring {
  readonly setting: Setting;
  readonly state: State;
  readonly catalogue: Catalogue;
}

export function settingCard(card: Card): TemplateResult {
  const { setting, state, store, actions } = card;
  const { id, steps } = setting;
  const isOpen = state.opened === id;
  const run = state.runs.get(id) ?? NO_RUN;
  const problem = problemOf(card, run, isOpen);
  const toggle = () => store.change({ opened: isOpen ? undefined : id });
  const close = html`<button class="plain" aria-label="Remove setting ${id}" @click=${() => actions.removeSetting(id)}>✕</button>`;
  return html`<section class="card setting-${id} ${state.active === id ? 'active' : ''}" aria-label="Setting ${id}">
    <header>
      <span class="letter" aria-hidden="true">${id}</span>
      ${firstChoice(card)}
      <button class="plain" aria-expanded=${isOpen} @click=${toggle}>
        ${isOpen ? 'Hide options' : 'Options'}<span class="hidden"> of setting ${id}</span>
      </button>
      ${state.settings.length > 1 ? close : nothing}
    </header>
    ${problem === '' ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    ${
      isOpen
        ? html`${steps.map((step, index) => stepForm(card, run, step, index))}${refineryChoice(card)}${settingActions(card, run)}`
        : html`<p class="brief">${briefOf(steps)}</p>`
    }
    ${presetHint(card)}
  </section>`;
}

/** For a chunker without options: the presets that can run here, as buttons that choose them. */
function presetHint({ setting, catalogue, actions }: Card): TemplateResult | typeof nothing {
  const { id, steps } = setting;
  const ready = catalogue.presets.filter(({ missing }) => missing.length === 0);
  const isPlain = steps.every(({ kind, options }) => kind === 'chunker' && Object.keys(options).length === 0);
  if (!isPlain || ready.length === 0) return nothing;
  const buttons = ready.map(
    (preset) =>
      html` <button class="plain" @click=${() => actions.changeSteps(id, presetSteps(preset))}>${preset.name}</button>`,
  );
  return html`<p class="brief">The defaults are for a first look. For search, begin with a preset:${buttons}</p>`;
}

export function briefOf([first, ...others]: readonly Step[]): string {
  const given = (step: Step | undefined) =>
    Object.entries(step?.options ?? {})
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', ');
  const refined = others.map((step) => ` + ${step.name}${given(step) === '' ? '' : ` (${given(step)})`}`);
  return (given(first) || 'defaults') + refined.join('');
}

function firstChoice({ setting, catalogue, actions }: Card): TemplateResult {
  const [step] = setting.steps as [Step];
  const chosen = (event: Event) => {
    const [kind, ...name] = valueIn(event).split('/');
    const preset = catalogue.presets.find((one) => kind === 'preset' && one.name === name.join('/'));
    if (preset !== undefined) return actions.changeSteps(setting.id, presetSteps(preset));
    const wanted = { kind, name: name.join('/'), options: {} } as Step;
    const plugin = pluginOf(wanted, catalogue);
    actions.changeSteps(setting.id, plugin === undefined ? [wanted] : replaceFirst(setting.steps, plugin));
  };
  const named = presetOf(setting.steps, catalogue);
  const current = named === undefined ? `${step.kind}/${step.name}` : `preset/${named.name}`;
  const option = (value: string, name: string, isMissing = false) =>
    html`<option value=${value} .selected=${value === current} ?disabled=${isMissing}>
      ${name}${isMissing ? ' (not available)' : ''}
    </option>`;
  const chunkers = catalogue.plugins.filter(({ kind }) => kind === 'chunker');
  const pipelines = catalogue.pipelines.map(({ id, name }) => option(`pipeline/${id}`, name));
  return html`<select class="name" aria-label="Chunker of setting ${setting.id}" @change=${chosen}>
    <optgroup label="Presets">
      ${catalogue.presets.map(({ name, missing }) => option(`preset/${name}`, name, missing.length > 0))}
    </optgroup>
    <optgroup label="Chunkers">
      ${chunkers.map(({ name, missing }) => option(`chunker/${name}`, name, missing.length > 0))}
    </optgroup>
    ${pipelines.length === 0 ? nothing : html`<optgroup label="Stored pipelines">${pipelines}</optgroup>`}
  </select>`;
}

function stepForm(
  { setting, catalogue, actions }: Card,
  { error }: Run,
  step: Step,
  index: number,
): TemplateResult {
  const plugin = pluginOf(step, catalogue);
  if (plugin === undefined)
    return html`<p class="brief">The options of a stored pipeline are stored with it.</p>`;
  const change = (steps: readonly Step[]) => actions.changeSteps(setting.id, steps);
  const remove = () => change(setting.steps.filter((_, at) => at !== index));
  const close = html`<button class="plain" aria-label="Remove ${step.name}" @click=${remove}>✕</button>`;
  return html`<fieldset>
    <legend>${step.name} ${index === 0 ? nothing : close}</legend>
    <p class="brief">${plugin.summary}</p>
    ${shownOptions(step, plugin).map(([name, schema]) =>
      optionField({
        id: `${setting.id}-${index}-${name}`,
        name,
        schema,
        value: step.options[name],
        problem: problemsIn(error, (problem) => isAbout(problem, name)),
        choices: choicesOf(name, catalogue),
        change: (value) => change(withOption(setting.steps, index, name, value)),
      }),
    )}
  </fieldset>`;
}

function shownOptions(step: Step, plugin: Plugin | undefined): [name: string, schema: Schema][] {
  const options = plugin?.options ?? {};
  return Object.entries(options).filter(([, schema]) => isEffective(schema, options, step.options));
}

function problemOf({ setting: { steps }, catalogue }: Card, { error }: Run, isOpen: boolean): string {
  const fields = steps.flatMap((step) => shownOptions(step, pluginOf(step, catalogue)));
  return problemsIn(error, (problem) => !(isOpen && fields.some(([name]) => isAbout(problem, name))));
}

function problemsIn(error: string | undefined, isShown: (problem: string) => boolean): string {
  return (error?.split('; ') ?? []).filter(isShown).join('; ');
}

/** Whether a problem concerns an option: the service's messages begin with the name of the invalid option. */
const isAbout = (problem: string, name: string) =>
  [': ', '[', '.'].some((mark) => problem.startsWith(name + mark));

function choicesOf(name: string, { tokenizers, models }: Catalogue): readonly string[] {
  if (name === 'tokenizer') return tokenizers;
  return name === 'embedding_model' ? models : [];
}

function takeValue(event: Event): string {
  const value = valueIn(event);
  (event.target as HTMLSelectElement).value = '';
  return value;
}

function refineryChoice({ setting, catalogue, actions }: Card): TemplateResult | typeof nothing {
  if (setting.steps[0]?.kind === 'pipeline') return nothing;
  const ready = catalogue.plugins.filter(({ kind, missing }) => kind === 'refinery' && missing.length === 0);
  const added = (event: Event) => {
    const wanted = takeValue(event);
    const plugin = ready.find(({ name }) => name === wanted);
    if (plugin !== undefined) actions.changeSteps(setting.id, [...setting.steps, stepOf(plugin)]);
  };
  return html`<select class="add" aria-label="Add a refinery to setting ${setting.id}" @change=${added}>
    <option value="">+ refinery</option>
    ${ready.map(({ name }) => html`<option value=${name}>${name}</option>`)}
  </select>`;
}

function settingActions({ setting, actions }: Card, { chunks }: Run): TemplateResult {
  const copyAs = async (event: Event) => {
    const code = takeValue(event) as Code;
    if (await copy(codeOf(setting, code))) actions.notify(`Copied as ${code}.`);
  };
  const download = (event: Event) => {
    const format = takeValue(event);
    const name = `chunks-${setting.id}.${format}`;
    if (format === 'csv') save(name, 'text/csv', csv(chunks));
    else save(name, 'application/x-ndjson', jsonLines(chunks));
  };
  const isStored = setting.steps[0]?.kind === 'pipeline';
  const stored = (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    void actions.save(setting, String(new FormData(form).get('pipeline')));
    form.reset();
  };
  return html`<div class="actions">
    <select aria-label="Copy setting ${setting.id} as" @change=${copyAs}>
      <option value="">Copy as</option>
      ${CODES.filter((code) => !isStored || code !== 'Pipeline').map((code) => html`<option>${code}</option>`)}
    </select>
    <select aria-label="Download the chunks of setting ${setting.id}" ?disabled=${chunks.length === 0} @change=${download}>
      <option value="">Download</option>
      <option value="jsonl">JSON Lines</option>
      <option value="csv">CSV</option>
    </select>
    ${isStored ? '' : html`<form @submit=${stored}><input name="pipeline" required maxlength="100" aria-label="Name of the pipeline" placeholder="pipeline name"><button>Save</button></form>`}
  </div>`;
}

interface Field {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  /** Undefined means the default of the option. */
  readonly value: unknown;
  readonly problem: string;
  readonly choices: readonly string[];
  change(value: unknown): void;
}

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
  return textControl(field, type === 'array' || type === 'object');
}

/** The schema that the form shows. Prefers a list to a single value, because a list can contain a single value. */
function branchOf({ schema }: Field): Schema {
  return schema.anyOf?.find((one) => typesOf(one).includes('array')) ?? schema.anyOf?.[0] ?? schema;
}

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
  const changed = (event: Event) => change(valueIn(event) === '' ? undefined : Number(valueIn(event)));
  return html`<input type="number" id=${id} step=${type === 'integer' ? '1' : 'any'}
    min=${schema.minimum ?? nothing} max=${schema.maximum ?? nothing} placeholder=${cellOf(schema.default)}
    .value=${value === undefined ? '' : String(value)} aria-invalid=${isWrong(field)}
    aria-describedby=${described(field)} @input=${changed}>`;
}

function textControl(field: Field, isJson: boolean): TemplateResult {
  const { id, schema, value, choices, change } = field;
  const names = choices.length > 0 ? choices : (schema.examples ?? []).map(String);
  const hasNames = names.length > 0 && !isJson;
  const [write, read] = isJson ? [JSON.stringify, parsed] : [String, String];
  const changed = (event: Event) => change(valueIn(event) === '' ? undefined : read(valueIn(event)));
  return html`<input type="text" id=${id} list=${hasNames ? `${id}-names` : nothing} spellcheck="false" autocomplete="off"
      placeholder=${cellOf(schema.default)} .value=${value === undefined ? '' : write(value)}
      aria-invalid=${isWrong(field)} aria-describedby=${described(field)} @change=${changed}>
    ${hasNames ? html`<datalist id="${id}-names">${names.map((name) => html`<option value=${name}></option>`)}</datalist>` : nothing}`;
}

/** Parses JSON. Returns invalid JSON as text, so that the service reports the problem. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
