import type { PlainError } from '../../core/errors.ts';
import type { Service } from '../service.ts';

/** A piece of work for the service, as plain data that can go to another thread. */
export interface Task {
  readonly run: 'chunk';
  /** The plugin that does it. */
  readonly name: string;
}

export interface TaskMessage extends Task {
  readonly body: Uint8Array;
}

/** What comes back from another thread: errors as data, because a cloned error loses its code. */
export type TaskOutcome = { readonly answer: Uint8Array } | { readonly error: PlainError };

export function runTask(
  service: Service,
  task: Task,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return service[task.run](task.name, body, signal);
}
