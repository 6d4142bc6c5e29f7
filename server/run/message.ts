import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import type { Execution } from '../service/requests.ts';
import type { Answer } from '../service/service.ts';
import type { Task } from '../service/tasks.ts';
import type { StopFlag } from './stop-flag.ts';

/** A task with the bytes of its request, or the execution that was read from it. */
export type Work = { readonly task: Task; readonly body: Uint8Array } | { readonly execution: Execution };

/** Sent to a worker thread. */
export interface WorkMessage {
  readonly work: Work;
  /** Raised to stop the work. */
  readonly flag: StopFlag;
  /** Where parts of the answer are posted, if it is wanted in parts. */
  readonly parts: MessagePort | undefined;
}

/** Sent back by a worker thread: errors as data, because a cloned error loses its code. */
export type WorkOutcome = { readonly answer: Answer } | { readonly error: PlainError };

/** Given to every worker thread when it starts. */
export interface WorkerData {
  readonly config: Config;
  /** Name of the channel of shared buffers. */
  readonly channel: string;
}
