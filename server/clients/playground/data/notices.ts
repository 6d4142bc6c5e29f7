import type { State, Store } from './state.ts';

/** Milliseconds: a notice is shown for `MIN_MS` plus a time per character, up to `MAX_MS`. */
const MIN_MS = 4000;
const MS_PER_CHARACTER = 60;
const MAX_MS = 15_000;

const ACTIONS = ['click', 'keydown', 'change', 'drop'];

export function endNotices(
  store: Store<Pick<State, 'notice'>>,
  page: EventTarget,
  startTimer: (end: () => void, milliseconds: number) => ReturnType<typeof setTimeout> = setTimeout,
): void {
  let shown = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    if (store.state.notice !== '') store.change({ notice: '' });
  };
  // The capture phase ends the old notice before the action's own handler can show a new one.
  for (const action of ACTIONS) page.addEventListener(action, end, { capture: true });
  store.watch(({ notice }) => {
    if (notice === shown) return;
    shown = notice;
    clearTimeout(timer);
    if (notice !== '') timer = startTimer(end, Math.min(MAX_MS, MIN_MS + MS_PER_CHARACTER * notice.length));
  });
}
