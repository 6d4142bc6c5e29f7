import { runSetting } from './actions.ts';
import type { Chunk } from './model.ts';
import type { Located, State } from './state.ts';
import type { Store } from './store.ts';

/** What was found, by the chunks of the run, so that going back to another setting does not read the file again. */
const known = new WeakMap<readonly Chunk[], Located>();

let stop = new AbortController();

/**
 * Finds where the chunks of the run with the selected chunk come from, once for each run. The text alone does not say:
 * the service runs the setting again, on the file itself.
 */
export async function locate({ state, change }: Store<State>): Promise<void> {
  const { origin, selection, settings, runs, catalogue, text, located } = state;
  const setting = settings.find(({ id }) => id === selection?.setting);
  const run = runs.get(setting?.id ?? '');
  if (origin === undefined || catalogue === undefined || setting === undefined || run?.isStale !== false)
    return;
  const of = run.chunks;
  if (located?.of === of) return;
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  const found = known.get(of);
  change({ located: found ?? { of, chunks: undefined, problem: undefined } });
  if (found !== undefined) return;
  try {
    const again = await runSetting(setting, { text, file: origin.file }, catalogue, signal);
    signal.throwIfAborted();
    const now = { of, chunks: again.chunks, problem: again.error };
    if (again.error === undefined) known.set(of, now);
    change({ located: now });
  } catch {
    // A chunk of another run was chosen meanwhile.
  }
}
