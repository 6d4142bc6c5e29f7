import type { Chunk, Report } from '../../../core/contracts/chunk.ts';
import type { Log } from '../../../core/contracts/collaborators.ts';
import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { Refinery } from '../../../core/contracts/refinery.ts';
import { askForAll } from './ask-for-all.ts';
import { createAsk, type Outcome } from './completions.ts';
import type { SummaryOptions } from './manifest.ts';
import { windowsOf } from './windows.ts';

type SummaryRefinery = Refinery<SummaryOptions, 'tokenizer'>;

/** UTF-16 units of a title that go into a prompt. */
const LONGEST_TITLE = 500;

export default async function createSummaryRefinery(given: Collaborators): Promise<SummaryRefinery> {
  const { kit, log } = given;
  const ask = await createAsk(given);
  return {
    async refine(chunks, options, { tokenizer, document, join, report, signal }) {
      signal.throwIfAborted();
      const stop = new AbortController();
      const either = AbortSignal.any([signal, stop.signal]);
      const windowOf = windowsOf(chunks, options.max_document_tokens, { tokenizer, join, signal });
      const title = (document.title ?? '').trim().slice(0, LONGEST_TITLE);
      const askAbout = async ({ text }: Chunk, index: number): Promise<Outcome> => {
        signal.throwIfAborted();
        if (kit.isBlank(text)) return NOTHING_TO_ASK;
        const question = { title, window: windowOf(index), instruction: options.instruction, text };
        const outcome = await ask(question, options, either);
        if ('failure' in outcome && outcome.failure === 'setup') throw kit.exposedError(outcome.message);
        return outcome;
      };
      try {
        const outcomes = await askForAll(chunks, options.concurrency, askAbout);
        sayFailures(outcomes, report, log);
        return chunks.map((chunk, index) => withContext(chunk, outcomes[index]));
      } finally {
        // The first error ends the other calls.
        stop.abort();
      }
    },
  };
}

/** Messages of failures may quote what the API was sent: they are not for the log. */
function sayFailures(outcomes: readonly Outcome[], report: Report, log: Log): void {
  const kinds = outcomes.flatMap((outcome) => ('failure' in outcome ? [outcome.failure] : []));
  if (kinds.length === 0) return;
  report('summary-failed', String(kinds.length));
  const unavailable = kinds.filter((kind) => kind === 'unavailable').length;
  const counts = { chunks: outcomes.length, failed: kinds.length, unavailable };
  log.warn(counts, 'the chat API gave no context for some chunks');
}

/** A chunk without text keeps the context that it has. */
const NOTHING_TO_ASK: Outcome = { value: '' };

/** The answer before the context that is there, such as the header of a table; null if there is no answer. */
function withContext(chunk: Chunk, outcome: Outcome | undefined): Chunk {
  if (outcome === undefined || 'failure' in outcome) return { ...chunk, context: null };
  const parts = [outcome.value, chunk.context].filter((part) => typeof part === 'string' && part !== '');
  return { ...chunk, context: parts.join('\n') || null };
}
