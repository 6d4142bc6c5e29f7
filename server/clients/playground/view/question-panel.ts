import { html, nothing, type TemplateResult } from 'lit-html';
import type { Chunk, Hit, Run, Setting, Unit } from '../data/model.ts';
import type { Inquiry } from '../data/state.ts';
import { excerptOf } from '../text/excerpt.ts';
import { type Range, retrievalOf } from '../text/ranges.ts';
import { placeIn, UNITS } from './chunk-details.ts';

/** A question with its results. */
export interface QuestionPanel {
  readonly asked: Inquiry;
  readonly text: string;
  readonly unit: Unit;
  readonly models: readonly string[];
  readonly settings: readonly Setting[];
  readonly runs: ReadonlyMap<string, Run>;
  change(asked: Partial<Inquiry>): void;
  ask(): void;
  /** Uses the selected text as the answer. */
  mark(): void;
  show(setting: string, chunk: number): void;
}

/** Characters shown of a chunk. */
const EXCERPT = 200;

/** Asks a question, shows the best chunks of each setting, and how well they contain the answer. */
export function questionPanel(panel: QuestionPanel): TemplateResult {
  const { asked, models } = panel;
  const valueIn = (event: Event) => (event.target as HTMLInputElement).value;
  const sent = (event: Event) => {
    event.preventDefault();
    panel.ask();
  };
  return html`<section class="question" aria-label="Question">
    <form @submit=${sent}>
      <input type="text" class="ask" aria-label="Question" placeholder="A question that the text answers" .value=${asked.question}
        @input=${(event: Event) => panel.change({ question: valueIn(event) })}>
      <select aria-label="Embedding model" @change=${(event: Event) => panel.change({ model: valueIn(event) })}>
        ${models.map((name) => html`<option .selected=${name === asked.model}>${name}</option>`)}
      </select>
      <label>best <input type="number" min="1" max="20" class="count" .value=${String(asked.count)}
        @change=${(event: Event) => panel.change({ count: Math.max(1, Number(valueIn(event)) || 1) })}></label>
      <button ?disabled=${asked.question.trim() === '' || asked.isAsking}>${asked.isAsking ? 'Asking …' : 'Ask'}</button>
      <button type="button" @click=${panel.mark}>Mark selected text as the answer</button>
    </form>
    ${answerOf(panel)}
    ${asked.problem === '' ? nothing : html`<p class="problem" role="alert">${asked.problem}</p>`}
    ${asked.hits.size === 0 ? nothing : html`<ul class="found">${panel.settings.map((setting) => foundIn(setting, panel))}</ul>`}
  </section>`;
}

function answerOf({ asked: { answer }, text, unit }: QuestionPanel): TemplateResult | typeof nothing {
  if (answer === undefined) return nothing;
  const [start, end] = placeIn(text, { start_index: answer.start, end_index: answer.end }, unit);
  const words = excerptOf(text.slice(answer.start, answer.end), EXCERPT);
  return html`<p class="brief">Answer: ${start} – ${end} ${UNITS[unit]}, “<bdi>${words}</bdi>”</p>`;
}

function foundIn({ id }: Setting, { asked, runs, show }: QuestionPanel): TemplateResult {
  const chunks = runs.get(id)?.chunks ?? [];
  const hits = asked.hits.get(id) ?? [];
  const words = (chunk: number) => excerptOf(chunks[chunk]?.text ?? '', EXCERPT);
  return html`<li class="setting-${id}">
    <p><span class="letter">${id}</span>${asked.answer === undefined ? nothing : metrics(hits, chunks, asked.answer)}</p>
    ${hits.map(
      ({ chunk, score }) =>
        html`<button class="plain" @click=${() => show(id, chunk)}>chunk ${chunk} <small>${score.toFixed(3)}</small>
          <span class="words" dir="auto">${words(chunk)}</span></button>`,
    )}
  </li>`;
}

function metrics(hits: readonly Hit[], chunks: readonly Chunk[], answer: Range): TemplateResult {
  const found = hits
    .flatMap(({ chunk }) => chunks[chunk] ?? [])
    .map(({ start_index, end_index }) => ({ start: start_index, end: end_index }));
  const { recall, precision, iou } = retrievalOf(found, [answer]);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return html`<span class="metrics">recall ${percent(recall)} · precision ${percent(precision)} · IoU ${percent(iou)}</span>`;
}
