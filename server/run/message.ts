import type { MessagePort } from 'node:worker_threads';
import type { PlainError } from '../../core/errors.ts';
import type { Config } from '../config/config.ts';
import type { Answer } from '../service/service.ts';
import type { Work } from './executor.ts';
import type { StopFlag } from './stop-flag.ts';

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
