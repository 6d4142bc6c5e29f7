import { html, type TemplateResult } from 'lit-html';
import { type Code, codeOf } from '../data/code.ts';
import { csv, jsonLines, save } from '../data/export.ts';
import type { Run, Setting } from '../data/model.ts';
import { copy } from './copy.ts';

const CODES: readonly Code[] = ['curl', 'Python', 'JavaScript', 'Pipeline'];

/** What can be done with a setting and its chunks. */
export interface SettingActions {
  readonly setting: Setting;
  readonly run: Run;
  notify(notice: string): void;
  savePipeline(name: string): void;
}

/** Copies a setting as a program, stores it as a pipeline, and saves its chunks as a file. */
export function settingActions(actions: SettingActions): TemplateResult {
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
