import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { OnPart } from '../service/answer.ts';

/** Brings parts of an answer from a worker thread. */
export interface PartChannel {
  /** To be sent to the thread, which posts the parts to it. */
  readonly port: MessagePort;
  /** Hands over the parts that were posted and have not come in yet, and takes no more. */
  close(): void;
}

/** @param onPart called with each part, in the order in which they were posted */
export function openPartChannel(onPart: OnPart): PartChannel {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', onPart);
  return {
    port: port2,
    close() {
      // The outcome of the work comes on a port of its own, perhaps before parts that were posted earlier.
      for (let next = receiveMessageOnPort(port1); next !== undefined; next = receiveMessageOnPort(port1)) {
        onPart(next.message);
      }
      port1.close();
    },
  };
}

/** Hands parts to the thread that has the other end. */
export function partSender(port: MessagePort | undefined): OnPart | undefined {
  return port === undefined ? undefined : (bytes) => port.postMessage(bytes, [bytes.buffer]);
}
