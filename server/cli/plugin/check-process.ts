import { type CheckEvent, type CheckTask, checkPlugin } from './check-steps.ts';

/** Entry of the process: if a plugin hangs or ends it, its parent notices. */
process.once('message', async (task: CheckTask) => {
  await checkPlugin(task, process.env, (event: CheckEvent) => void process.send?.(asPlain(event)));
  process.disconnect();
});

/** Bytes as a list of numbers: they would become an object in JSON, which the processes exchange. */
function asPlain(event: CheckEvent): object {
  return JSON.parse(
    JSON.stringify(event, (_key, value) => (value instanceof Uint8Array ? [...value] : value)),
  );
}
