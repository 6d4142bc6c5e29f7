/** Holds the state of the page, and notifies its watchers of changes. */
export interface Store<State> {
  readonly state: State;
  /** Changes members; watchers are notified once for all changes in one turn of the event loop. */
  change(members: Partial<State>): void;
  watch(watcher: (state: State) => void): void;
}

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  let isScheduled = false;
  const watchers: ((state: State) => void)[] = [];
  return {
    get state() {
      return state;
    },
    change(members) {
      state = { ...state, ...members };
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(() => {
        isScheduled = false;
        for (const watcher of watchers) watcher(state);
      });
    },
    watch: (watcher) => void watchers.push(watcher),
  };
}
