import { html, nothing, type TemplateResult } from 'lit-html';
import { ask, changeQuestion } from '../data/inquiry.ts';
import type { Chunk, Hit } from '../data/model.ts';
import type { Inquiry, State } from '../data/state.ts';
import { excerptOf } from '../text/excerpt.ts';
import { type Range, retrievalOf } from '../text/ranges.ts';
import { placeIn, UNITS } from './chunk-details.ts';
import { valueIn, type Wiring } from './wiring.ts';

/** Characters shown of a chunk. */
const EXCERPT = 200;

/** Asks a question, shows the best chunks of each setting, and how well they contain the answer. */
export function questionPanel(state: State, wiring: Wiring): TemplateResult {
  const { asked, catalogue, settings } = state;
  const { store, actions } = wiring;
  const change = (members: Partial<Inquiry>) => changeQuestion(store, members);
  const sent = (event: Event) => {
    event.preventDefault();
    void ask(store);
  };
  const mark = () => {
    const answer = selectedText();
    if (answer === undefined) actions.notify('Select the answer in the text first.');
    else change({ answer });
  };
  return html`<section class="question" aria-label="Question">
    <form @submit=${sent}>
      <input type="text" class="ask" aria-label="Question" placeholder="A question that the text answers" .value=${asked.question}
        @input=${(event: Event) => change({ question: valueIn(event) })}>
      <select aria-label="Embedding model" @change=${(event: Event) => change({ model: valueIn(event) })}>
        ${catalogue?.models.map((name) => html`<option .selected=${name === asked.model}>${name}</option>`)}
      </select>
      <label>best <input type="number" min="1" max="20" class="count" .value=${String(asked.count)}
        @change=${(event: Event) => change({ count: Math.max(1, Number(valueIn(event)) || 1) })}></label>
      <button ?disabled=${asked.question.trim() === '' || asked.isAsking}>${asked.isAsking ? 'Asking …' : 'Ask'}</button>
      <button type="button" @click=${mark}>Mark selected text as the answer</button>
    </form>
    ${answerOf(state)}
    ${asked.problem === '' ? nothing : html`<p class="problem" role="alert">${asked.problem}</p>`}
    ${asked.hits.size === 0 ? nothing : html`<ul class="found">${settings.map(({ id }) => foundIn(id, state, wiring))}</ul>`}
  </section>`;
}

function answerOf({ asked: { answer }, text, unit }: State): TemplateResult | typeof nothing {
  if (answer === undefined) return nothing;
  const [start, end] = placeIn(text, { start_index: answer.start, end_index: answer.end }, unit);
  const words = excerptOf(text.slice(answer.start, answer.end), EXCERPT);
  return html`<p class="brief">Answer: ${start} – ${end} ${UNITS[unit]}, “<bdi>${words}</bdi>”</p>`;
}

function foundIn(id: string, { asked, runs }: State, { show }: Wiring): TemplateResult {
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

/** The stretch of the text that is selected in the viewer; `undefined` if there is none. */
function selectedText(): Range | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  const [start, end] = [offsetOf(startContainer, startOffset), offsetOf(endContainer, endOffset)];
  return start === undefined || end === undefined || start === end ? undefined : { start, end };
}

/** The text offset of a position in the page: its spans have the offsets where they begin. */
function offsetOf(node: Node, offset: number): number | undefined {
  const element = node instanceof Element ? node : node.parentElement;
  const span = element?.closest<HTMLElement>('.cell span[data-start]');
  if (span) return Number(span.dataset.start) + (node instanceof Element ? 0 : offset);
  const child = node instanceof Element ? node.childNodes[offset] : undefined;
  const next =
    child instanceof HTMLElement
      ? (child.querySelector<HTMLElement>('span[data-start]') ?? child)
      : undefined;
  return next?.dataset.start === undefined ? undefined : Number(next.dataset.start);
}
