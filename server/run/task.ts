import type { PlainError } from '../../core/errors.ts';
import type { Answer, Task } from '../service.ts';
import type { StopFlag } from './stop-flag.ts';

/** What goes to another thread. */
export interface TaskMessage {
  readonly task: Task;
  readonly body: Uint8Array;
  /** Raised when nobody waits for the outcome any more. */
  readonly flag: StopFlag;
}

/** What comes back from another thread: errors as data, because a cloned error loses its code. */
export type TaskOutcome = { readonly answer: Answer } | { readonly error: PlainError };
