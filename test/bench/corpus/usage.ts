import { writeSync } from 'node:fs';
import { stderr } from 'node:process';
import { isMainThread } from 'node:worker_threads';

/** With `--import usage.ts` a process says at its end, as JSON, what it and its threads have used: seconds and bytes. */
if (isMainThread) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const { user, system } = process.threadCpuUsage();
    const cpu = (userCPUTime + systemCPUTime) / 1e6;
    const usage = { cpu, main: (user + system) / 1e6, peak: maxRSS * 1024 };
    writeSync(stderr.fd, `${JSON.stringify(usage)}\n`);
  });
}
