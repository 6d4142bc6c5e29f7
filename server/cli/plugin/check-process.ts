import { type CheckEvent, type CheckTask, checkPlugin } from './check-steps.ts';

/** Entry of the process: a plugin that hangs or ends it is seen by the one that started it. */
process.once('message', async (task: CheckTask) => {
  await checkPlugin(task, process.env, (event: CheckEvent) => void process.send?.(asPlain(event)));
  process.disconnect();
});

/** Bytes as a list of numbers: as JSON, which the processes speak, they would be an object. */
function asPlain(event: CheckEvent): object {
  return JSON.parse(
    JSON.stringify(event, (_key, value) => (value instanceof Uint8Array ? [...value] : value)),
  );
}
