import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startLoopback } from '../../../support/loopback.ts';
import type { Cleanup } from '../../../support/server.ts';

interface Received extends Pick<IncomingMessage, 'method' | 'headers'> {
  readonly path: string | undefined;
  readonly body: Buffer;
}

/** Starts a receiver of callbacks on loopback, which answers with 204 unless the test says how. */
export async function startReceiver(t: Cleanup, answer?: RequestListener) {
  const received: Received[] = [];
  const origin = await startLoopback(t, async (request, response) => {
    const { url, method, headers } = request;
    received.push({ path: url, method, headers, body: await buffer(request) });
    if (answer === undefined) response.writeHead(204).end();
    else answer(request, response);
  });
  /** The request that came at this place, from 0; throws if there is none. */
  const at = (place: number): Received => {
    const one = received[place];
    if (one === undefined) throw new Error(`only ${received.length} came`);
    return one;
  };
  return { received, at, port: Number(new URL(origin).port), url: `${origin}/done` };
}
