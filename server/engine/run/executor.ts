import { emptyAnswer } from '../answer/response-metadata.ts';
import type { Service } from '../service.ts';
import type { Answer, AnyRequest, ChunksTask, OnPart, Task } from '../tasks.ts';

/** A task with the bytes of its request, or the parsed request. */
export type Work =
  | { readonly task: Task; readonly body: Uint8Array }
  | DivideWork
  | { readonly request: AnyRequest };

/**
 * A request whose inputs are to be found, so that each can have a line in the answer, or groups of them can be
 * processed in parallel. A request that cannot be divided, or has a single list, is run instead.
 */
export interface DivideWork {
  readonly task: ChunksTask;
  readonly body: Uint8Array;
  readonly divides: 'lines' | 'lists';
}

/** An answer, and how long its work waited before it ran. */
export interface RunAnswer extends Answer {
  readonly queueSeconds: number;
}

/** Runs work in worker threads. It has no deadline and no queue: its caller has admitted the work. */
export interface Executor {
  /**
   * @param signal stops the work when it aborts
   * @param onPart requests the answer in parts, see `Service.run`; not called once the work has ended
   * @throws ServiceError errors of the service; for lost threads `out_of_memory`, `worker_lost`
   */
  run(work: Work, signal: AbortSignal, onPart?: OnPart): Promise<Answer>;
  /** Starts a thread, so that the first request need not wait for one. Resolves once it has started, or failed to. */
  startThread(): Promise<void>;
  /** Number of worker threads. */
  readonly threads: number;
  close(): Promise<void>;
}

/** Milliseconds that work has to stop by itself once its signal aborts; then its worker thread is ended. */
export const STOP_GRACE = 1000;

/** Runs work on the calling thread. @throws ServiceError */
export async function runWork(
  service: Service,
  work: Work,
  signal: AbortSignal,
  onPart?: OnPart,
): Promise<Answer> {
  const read = () => {
    const divided = 'divides' in work ? dividedAnswer(service, work) : undefined;
    return divided ?? ('request' in work ? work.request : service.read(work.task, work.body));
  };
  const request = await orUnknownNames(service, read);
  return 'bytes' in request && 'timings' in request ? request : service.run(request, signal, onPart);
}

/** Reads a request; a refusal also has the unknown names in it. */
export async function orUnknownNames<T>(service: Service, read: () => T): Promise<T> {
  try {
    return read();
  } catch (error) {
    throw await service.withUnknownNames(error);
  }
}

function dividedAnswer(service: Service, { task, body, divides }: DivideWork): Answer | undefined {
  const begin = performance.now();
  const division = service.divide(task, body);
  const isWorthIt = divides === 'lines' || (division?.isBatch && division.inputs.length > 1);
  if (division === undefined || !isWorthIt) return undefined;
  const seconds = (performance.now() - begin) / 1000;
  return { ...emptyAnswer(seconds), division, body: body as Uint8Array<ArrayBuffer> };
}
