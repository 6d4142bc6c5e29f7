import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { startLoopback } from '../../support/loopback.ts';
import type { Cleanup } from '../../support/server.ts';

const HTML = '<html><body>Bad gateway</body></html>';

/** Starts a proxy before a service, which fails the first requests of a run as the run's base URL says. */
export async function startRefusingProxy(t: Cleanup, upstream: string) {
  const counts = new Map<string, number>();
  const own = await startLoopback(t, (incoming, answer) => {
    const [, run = '', behaviours = '', ...rest] = (incoming.url ?? '').split('/');
    const count = counts.get(run) ?? 0;
    if (rest[0] === 'requests-seen') return void answer.end(JSON.stringify(count));
    counts.set(run, count + 1);
    const behaviour = behaviours.split(',')[count] ?? 'pass';
    const url = `${upstream}/${rest.join('/')}`;
    if (behaviour === 'small-page') pass(incoming, answer, `${url}${url.includes('?') ? '&' : '?'}limit=1`);
    else if (behaviour === 'pass' || behaviour === 'cut') pass(incoming, answer, url, behaviour === 'cut');
    else refuse(incoming, answer, behaviour);
  });
  return {
    /**
     * The base URL of a run. Its requests fail, one after the other, as `behaviours` say, separated by commas; all further
     * ones are passed on. `GET <url>/requests-seen` is how many there were, and none of them.
     *
     * - `503-2`, `429-0`: this status with that `Retry-After`; `503` is without it
     * - `gateway-502`: this status from something else than the service, in HTML; `html`: the same with 200
     * - `close`: the connection is closed without an answer; `hang`: there is no answer
     * - `cut`: the answer comes, but for its end
     * - `small-page`: the request is passed on with a limit of 1
     */
    url: (run: string, behaviours: string) => `${own}/${encodeURIComponent(run)}/${behaviours || 'pass'}`,
    /** How many requests of a run have come. */
    seen: (run: string) => counts.get(encodeURIComponent(run)) ?? 0,
  };
}

function refuse(incoming: IncomingMessage, answer: ServerResponse, behaviour: string): void {
  const [, gateway, status, seconds] = /^(gateway-)?(\d+)(?:-(\d+))?$/.exec(behaviour) ?? [];
  if (behaviour === 'hang') return;
  if (behaviour === 'close') return void incoming.socket.destroy();
  incoming.resume();
  if (gateway !== undefined || behaviour === 'html')
    return void answer.writeHead(Number(status ?? 200), { 'content-type': 'text/html' }).end(HTML);
  const retry = seconds === undefined ? {} : { 'retry-after': seconds };
  answer.writeHead(Number(status), { 'content-type': 'application/json', 'x-request-id': 'proxy', ...retry });
  answer.end(JSON.stringify({ detail: 'The server is busy: try again.' }));
}

/** Passes a request on, and its answer back; all of it, or all but its last bytes. */
export function pass(incoming: IncomingMessage, answer: ServerResponse, url: string, isCut = false): void {
  const { method, headers } = incoming;
  const onward = request(url, { method, headers });
  incoming.pipe(onward);
  onward.on('error', () => incoming.socket.destroy());
  answer.on('close', () => onward.destroy());
  onward.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    if (!isCut) return void response.pipe(answer);
    response.once('data', (part: Buffer) => {
      answer.write(part.subarray(0, part.length - 5), () => incoming.socket.destroy());
    });
  });
}
