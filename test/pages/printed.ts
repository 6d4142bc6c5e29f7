import { format } from 'node:util';

/** What work that runs alone writes to the console of this process. */
export async function printedBy(work: () => Promise<unknown>): Promise<{ stdout: string; stderr: string }> {
  const { log, error } = console;
  const printed = { stdout: '', stderr: '' };
  const printTo =
    (stream: 'stdout' | 'stderr') =>
    (...said: unknown[]) => {
      printed[stream] += `${format(...said)}\n`;
    };
  Object.assign(console, { log: printTo('stdout'), error: printTo('stderr') });
  try {
    await work();
    return printed;
  } finally {
    Object.assign(console, { log, error });
  }
}
