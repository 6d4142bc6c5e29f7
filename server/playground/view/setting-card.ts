import { html, nothing, type TemplateResult } from 'lit-html';
import type { Catalogue, Plugin, Run, Setting, Step } from '../data/model.ts';
import { isEffective, type Schema } from '../data/schema.ts';
import { replaceFirst, stepOf, withOption } from '../data/settings.ts';
import { optionField } from './option-field.ts';
import { settingActions } from './setting-actions.ts';

/** A setting with what the card of it can do. */
export interface Card {
  readonly setting: Setting;
  readonly run: Run;
  readonly catalogue: Catalogue;
  readonly isOpen: boolean;
  /** Whether its column is the one that is shown where there is room for one. */
  readonly isActive: boolean;
  readonly canRemove: boolean;
  change(steps: readonly Step[]): void;
  remove(): void;
  toggle(): void;
  notify(notice: string): void;
  savePipeline(name: string): void;
}

/** The form of a setting: what chunks, with its options, and the refineries behind it. */
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
  if (plugin === undefined) return html`<p class="brief">A stored pipeline has its options with it.</p>`;
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

/** Why there are no chunks; what a field of the open form says is not said twice. */
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

/** Whether a problem is that of an option: errors of the service begin with the name of what is wrong. */
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
