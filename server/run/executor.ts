import type { Answer, OnPart, Service } from '../service/service.ts';
import type { Work } from './message.ts';

/** Runs work on a thread. It knows no deadline and no queue: its caller has admitted the work. */
export interface Executor {
  /**
   * @param signal stops the work when it aborts
   * @param onPart has the answer come in parts, see `Service.run`; not called once the work has ended
   * @throws ServiceError whatever the service throws; of lost threads `out_of_memory`, `worker_lost`
   */
  run(work: Work, signal: AbortSignal, onPart?: OnPart): Promise<Answer>;
  /** How many worker threads there are now. */
  readonly threads: number;
  close(): Promise<void>;
}

/** Milliseconds that work has to stop by itself once its signal aborts; then its worker thread is ended. */
export const STOP_GRACE = 1000;

/** Runs work on the calling thread. */
export function createInlineExecutor(service: Service): Executor {
  return {
    run: (work, signal, onPart) => runWork(service, work, signal, onPart),
    threads: 0,
    close: async () => {},
  };
}

export function runWork(service: Service, work: Work, signal: AbortSignal, onPart?: OnPart): Promise<Answer> {
  const execution = 'execution' in work ? work.execution : service.read(work.task, work.body);
  return service.run(execution, signal, onPart);
}
