import { toUtf16 } from '../text/offsets.ts';
import { post, reasonOf } from './api.ts';
import type { Catalogue, Chunk, Run, Setting, Step, Unit } from './model.ts';

/**
 * Runs a setting on a text: the chunker or pipeline, then one refinery after the other on its chunks.
 *
 * @throws if the signal aborts
 */
export async function runSetting(
  { steps }: Setting,
  text: string,
  catalogue: Catalogue,
  signal: AbortSignal,
): Promise<Run> {
  const begin = performance.now();
  const reports: Record<string, string> = {};
  try {
    let chunks: readonly Chunk[] = [];
    for (const step of steps) {
      const { body, headers } = await runStep(step, text, chunks, signal);
      for (const [name, value] of headers) if (isReport(name)) reports[name] = value;
      chunks = toUtf16(text, body, unitOf(step, catalogue));
    }
    const milliseconds = performance.now() - begin;
    return { isStale: false, chunks, milliseconds, reports, error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    const message = reasonOf(error);
    const milliseconds = performance.now() - begin;
    return { isStale: false, chunks: [], milliseconds, reports, error: message };
  }
}

function runStep(step: Step, text: string, chunks: readonly Chunk[], signal: AbortSignal) {
  const { kind, name, options } = step;
  if (kind === 'chunker') {
    return post<Chunk[]>(`v1/chunk/${name}`, { text, ...options, offset_unit: 'utf16' }, signal);
  }
  if (kind === 'refinery') return post<Chunk[]>(`v1/refine/${name}`, { chunks, ...options }, signal);
  return post<Chunk[]>(`v1/pipelines/${encodeURIComponent(name)}/execute`, { text }, signal);
}

/** The unit of the offsets that a step answers: a pipeline has that of its last chunk step. */
function unitOf({ kind, name }: Step, { pipelines }: Catalogue): Unit {
  if (kind !== 'pipeline') return 'utf16';
  const pipeline = pipelines.find(({ id }) => id === name);
  const chunking = pipeline?.config.steps.findLast(({ type }) => type === 'chunk');
  return (chunking?.config.offset_unit as Unit | undefined) ?? 'code_point';
}

const FIXED = /^x-(request-id|content-type-options|dns-|download-|frame-|permitted-|xss-|ratelimit)/;

/** Whether a header is what a plugin reports. */
function isReport(name: string): boolean {
  return name.startsWith('x-') && !FIXED.test(name);
}
