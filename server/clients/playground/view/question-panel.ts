import { html, nothing, type TemplateResult } from 'lit-html';
import { unsafeHTML } from 'lit-html/directives/unsafe-html.js';
import { ask, changeQuestion, RETRIEVERS } from '../data/inquiry.ts';
import type { Found, Inquiry, Question, Range, State } from '../data/state.ts';
import { excerptOf } from '../text/offsets.ts';
import { percent, recallPlot } from '../text/recall-plot.ts';
import { placeIn, UNITS } from './chunk-details.ts';
import { valueIn, type Wiring } from './wiring.ts';

const EXCERPT = 200;

/** The form for a question. The user may also mark its answer in the text, so that settings can be scored. */
export function questionPanel(state: State, wiring: Wiring): TemplateResult {
  const { asked, catalogue } = state;
  const { store, actions } = wiring;
  const change = (members: Partial<Inquiry>) => changeQuestion(store, members);
  const typed = (event: Event) =>
    // After a question was asked, editing starts a new question, whose answer is unknown.
    change({ question: valueIn(event), ...(asked.isAsked && { answer: undefined }) });
  const sent = (event: Event) => {
    event.preventDefault();
    void ask(store);
  };
  const mark = () => {
    const answer = selectedText() ?? chosenChunk(state);
    if (answer === undefined) actions.notify('Select the answer in the text first, or choose a chunk.');
    else change({ answer });
  };
  return html`<section class="question" aria-label="Question">
    <form @submit=${sent}>
      <input type="text" class="ask" aria-label="Question" placeholder="A question that the text answers" .value=${asked.question}
        @input=${typed}>
      <select aria-label="Retriever" @change=${(event: Event) => change({ retriever: valueIn(event) })}>
        ${RETRIEVERS.map((name) => html`<option .selected=${name === asked.retriever}>${name}</option>`)}
      </select>
      <select aria-label="Embedding model" ?disabled=${asked.retriever === 'bm25'} @change=${(event: Event) => change({ model: valueIn(event) })}>
        ${catalogue?.models.map((name) => html`<option .selected=${name === asked.model}>${name}</option>`)}
      </select>
      <label>Best chunks to show <input type="number" min="1" max="20" class="count" .value=${String(asked.count)}
        @change=${(event: Event) => change({ count: Math.max(1, Number(valueIn(event)) || 1) })}></label>
      <button ?disabled=${asked.question.trim() === '' || asked.isAsking}>${asked.isAsking ? 'Asking …' : 'Ask'}</button>
      <button type="button" @click=${mark}>Mark as the answer</button>
    </form>
    ${answerOf(state)}
    ${asked.problem === '' ? nothing : html`<p class="problem" role="alert">${asked.problem}</p>`}
  </section>`;
}

export function foundChunks(state: State, wiring: Wiring): TemplateResult | typeof nothing {
  if (state.asked.found.size === 0) return nothing;
  return html`<section class="results" aria-label="Answers">
    <ul class="found">${state.settings.map(({ id }) => foundIn(id, state, wiring))}</ul>
    ${comparison(state, wiring)}
  </section>`;
}

function chosenChunk({ selection, runs }: State): Range | undefined {
  const chunk = runs.get(selection?.setting ?? '')?.chunks[selection?.chunk ?? -1];
  return chunk && { start: chunk.start_index, end: chunk.end_index };
}

function answerOf({ asked: { answer }, text, unit }: State): TemplateResult | typeof nothing {
  if (answer === undefined) return nothing;
  const [start, end] = placeIn(text, { start_index: answer.start, end_index: answer.end }, unit);
  const words = excerptOf(text.slice(answer.start, answer.end), EXCERPT);
  return html`<p class="brief">Answer: ${start} – ${end} ${UNITS[unit]}, “<bdi>${words}</bdi>”</p>`;
}

function foundIn(id: string, { asked, runs }: State, { show }: Wiring): TemplateResult {
  const chunks = runs.get(id)?.chunks ?? [];
  const { hits = [], scores, mean } = asked.found.get(id) ?? {};
  const words = (chunk: number) => excerptOf(chunks[chunk]?.text ?? '', EXCERPT);
  return html`<li class="setting-${id}">
    <p><span class="letter">${id}</span>${scores === undefined ? nothing : metrics(scores)}</p>
    ${mean === undefined || asked.kept.length < 2 ? nothing : html`<p class="brief">${meanIn(mean, asked)}</p>`}
    ${hits.map(
      ({ chunk, score }) =>
        html`<button class="plain" @click=${() => show(id, chunk)}>chunk ${chunk + 1} <small>${score.toFixed(3)}</small>
          <span class="words" dir="auto">${words(chunk)}</span></button>`,
    )}
  </li>`;
}

function metrics({ recall, precision, iou }: NonNullable<Found['scores']>): TemplateResult {
  return html`<span class="metrics">recall ${percent(recall)} · precision ${percent(precision)} · IoU ${percent(iou)}</span>`;
}

function meanIn({ recall, interval, tokens }: NonNullable<Found['mean']>, { kept }: Inquiry): string {
  const range = interval.map(percent).join(' to ');
  return `${kept.length} questions: recall ${percent(recall)} (${range}), ${Math.round(tokens)} tokens`;
}

function comparison({ asked, settings }: State, { store }: Wiring): TemplateResult | typeof nothing {
  const points = settings.flatMap(({ id, steps }) => {
    const { mean } = asked.found.get(id) ?? {};
    const name = `${id}: ${steps.map((step) => step.name).join(' + ')}`;
    return mean === undefined ? [] : [{ ...mean, cost: mean.tokens, name, series: id, label: id }];
  });
  if (points.length === 0) return nothing;
  const count = `${asked.kept.length} question${asked.kept.length === 1 ? '' : 's'}`;
  const axis = asked.tokenizer === '' ? 'tokens' : `tokens (${asked.tokenizer})`;
  return html`<figure class="compared">
    <figcaption>Recall of ${count} with 95 % intervals, against the tokens that one finds</figcaption>
    ${unsafeHTML(recallPlot(points, axis, `Recall of ${points.length} settings against tokens`))}
    <ul aria-label="Questions of the comparison">${asked.kept.map((one) => keptQuestion(one, store))}</ul>
  </figure>`;
}

function keptQuestion({ question, answer }: Question, store: Wiring['store']): TemplateResult {
  const again = () => {
    changeQuestion(store, { question, answer });
    void ask(store);
  };
  const remove = () => {
    const { asked } = store.state;
    const kept = asked.kept.filter((one) => one.question !== question);
    changeQuestion(store, { kept, ...(asked.question === question && { answer: undefined }) });
  };
  return html`<li>
    <button type="button" class="plain" @click=${again}>${question}</button>
    <button type="button" class="plain" aria-label="Remove the question ${question}" @click=${remove}>✕</button>
  </li>`;
}

function selectedText(): Range | undefined {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return undefined;
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
  const start = offsetOf(startContainer, startOffset);
  const end = offsetOf(endContainer, endOffset);
  return start === undefined || end === undefined || start === end ? undefined : { start, end };
}

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
