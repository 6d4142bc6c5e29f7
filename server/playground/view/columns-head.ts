import { html, nothing, type TemplateResult } from 'lit-html';
import { NO_RUN, type Run, type Setting } from '../data/model.ts';

/** The heads of the columns: what each shows, and how long it took. */
export function columnsHead(
  settings: readonly Setting[],
  runs: ReadonlyMap<string, Run>,
  active: string,
  choose: (id: string) => void,
): TemplateResult {
  return html`<div class="heads" role="group" aria-label="Columns">
    ${settings.map(({ id, steps }) => {
      const run = runs.get(id) ?? NO_RUN;
      return html`<button class="head setting-${id} ${run.isStale ? 'stale' : ''}" aria-pressed=${id === active} @click=${() => choose(id)}>
        <span class="letter">${id}</span> <strong>${steps.map(({ name }) => name).join(' + ')}</strong>
        <span class="state">${stateOf(run)}</span>
        ${run.isStale || run.error === undefined ? reportsOf(run) : html`<span class="problem">${run.error}</span>`}
      </button>`;
    })}
  </div>`;
}

function stateOf(run: Run): string {
  if (run.isStale) return 'running …';
  if (run.error !== undefined) return 'failed';
  const count = `${run.chunks.length.toLocaleString('en')} chunk${run.chunks.length === 1 ? '' : 's'}`;
  return `${count} · ${run.milliseconds < 10 ? run.milliseconds.toFixed(1) : Math.round(run.milliseconds)} ms`;
}

function reportsOf({ reports }: Run): TemplateResult | typeof nothing {
  const shown = Object.entries(reports).map(([name, value]) => `${name.slice(2)}: ${value}`);
  return shown.length === 0 ? nothing : html`<span class="reports">${shown.join(' · ')}</span>`;
}
