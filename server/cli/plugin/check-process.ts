import { type CheckEvent, type CheckTask, checkPlugin } from './check-steps.ts';

/** Entry of the process. Its parent notices if a plugin hangs or ends the process. */
process.once('message', async (task: CheckTask) => {
  await checkPlugin(task, process.env, (event: CheckEvent) => void process.send?.(asPlain(event)));
  process.disconnect();
});

/** Converts bytes to lists of numbers, because the processes exchange JSON. */
function asPlain(event: CheckEvent): object {
  return JSON.parse(
    JSON.stringify(event, (_key, value) => (value instanceof Uint8Array ? [...value] : value)),
  );
}
