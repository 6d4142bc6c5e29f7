import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from '../support/server.ts';
import type { HealthReport } from './health-process.ts';

/** Begins to ask the server at a port from a process of its own. @param more what to post, instead of `/health` */
export function startProbe(t: Cleanup, port: number, ...more: string[]) {
  const program = new URL('./health-process.ts', import.meta.url);
  const child = fork(program, [String(port), ...more], { execArgv: [] });
  t.teardown(() => child.kill());
  child.send('begin');
  const ask = async (what: 'so far' | 'end') => {
    child.send(what);
    const [report] = (await once(child, 'message')) as [HealthReport];
    return report;
  };
  return { soFar: () => ask('so far'), end: () => ask('end') };
}
