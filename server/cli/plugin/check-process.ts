import { type CheckEvent, type CheckTask, checkPlugin } from './check-steps.ts';

/** Entry of the process: a plugin that hangs or ends it is seen by the one that started it. */
process.once('message', async (task: CheckTask) => {
  await checkPlugin(task, process.env, (event: CheckEvent) => void process.send?.(event));
  process.disconnect();
});
