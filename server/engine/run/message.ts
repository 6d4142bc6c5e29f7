import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { PlainError } from '../../../core/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Answer } from '../service.ts';
import type { OnPart } from '../tasks.ts';
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

/** Receives parts of an answer from a worker thread. */
export interface PartChannel {
  /** To be sent to the thread, which posts the parts to it. */
  readonly port: MessagePort;
  /** Delivers the parts that were posted but have not arrived yet, and accepts no more. */
  close(): void;
}

/** @param onPart called with each part, in the order in which they were posted */
export function openPartChannel(onPart: OnPart): PartChannel {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', onPart);
  return {
    port: port2,
    close() {
      // The outcome of the work comes on a different port, perhaps before parts that were posted earlier.
      for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1)) {
        onPart(next.message);
      }
      port1.close();
    },
  };
}

/** Sends parts to the thread at the other end. */
export function partSender(port: MessagePort | undefined): OnPart | undefined {
  return port === undefined ? undefined : (bytes) => port.postMessage(bytes, [bytes.buffer]);
}
