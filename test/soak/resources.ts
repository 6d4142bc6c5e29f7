import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { busySeconds, processorSeconds } from '../bench/corpus/processes.ts';

/** Resident bytes of a process and of all that it started. */
export function residentBytes(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = /^PPid:\s+(\d+)$/m.exec(statusOf(name))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOfTree = (pid: number | undefined): boolean =>
    pid === root || (pid !== undefined && isOfTree(parents.get(pid)));
  return [...parents.keys()].filter(isOfTree).reduce((sum, pid) => sum + ownBytes(pid), 0);
}

/** Notes the memory of a process tree, each second until it is stopped. */
export function watchMemory(root: number) {
  const start = performance.now();
  const samples: { readonly second: number; readonly bytes: number }[] = [];
  const note = () => {
    samples.push({ second: (performance.now() - start) / 1000, bytes: residentBytes(root) });
  };
  note();
  const timer = setInterval(note, 1000);
  return {
    stop: () => clearInterval(timer),
    peak: () => Math.max(...samples.map(({ bytes }) => bytes)),
    /** The mean from one second to another. */
    mean(from: number, to: number): number {
      const some = samples.filter(({ second }) => second >= from && second < to);
      return some.reduce((sum, { bytes }) => sum + bytes, 0) / some.length;
    },
  };
}

/**
 * How busy the first thread of a process is from now on, and how long it waits for a core that others use: a
 * machine that is too small for server and clients shows as waiting.
 */
export function coreTimes(pid: number): () => { readonly busy: number; readonly waiting: number } {
  const now = () => {
    const times = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return [performance.now(), ...times.slice(0, 2).map((nanoseconds) => Number(nanoseconds) / 1e6)];
  };
  const [begin = 0, ran = 0, waited = 0] = now();
  return () => {
    const [end = 0, runs = 0, waits = 0] = now();
    const percent = (ms: number) => Math.round((100 * ms) / (end - begin));
    return { busy: percent(runs - ran), waiting: percent(waits - waited) };
  };
}

/** Percent of the cores that others than this process and the one with the number take from now on. */
export function watchOthers(pid: number): () => number {
  const now = () => {
    const { user, system } = process.cpuUsage();
    return [performance.now() / 1000, busySeconds() - (user + system) / 1e6 - processorSeconds(pid)] as const;
  };
  const [begin, before] = now();
  return () => {
    const [end, after] = now();
    return Math.round((100 * (after - before)) / (end - begin) / cpus().length);
  };
}

function ownBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(statusOf(String(pid)))?.[1] ?? 0) * 1024;
}

/** Empty where the process has ended meanwhile. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
