import { type CheckEvent, type CheckTask, checkPlugin } from './check-steps.ts';

/** Entry of the child process that checks a plugin. The plugin may hang or end this process. */
process.once('message', async (task: CheckTask) => {
  await checkPlugin(task, process.env, (event: CheckEvent) => void process.send?.(asPlain(event)));
  process.disconnect();
});

/** Converts byte arrays to lists of numbers, because the two processes exchange JSON. */
function asPlain(event: CheckEvent): object {
  return JSON.parse(
    JSON.stringify(event, (_key, value) => (value instanceof Uint8Array ? [...value] : value)),
  );
}
