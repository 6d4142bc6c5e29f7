import { throwUnavailable } from './open-database.ts';

type Calls = Readonly<Record<PropertyKey, (...given: unknown[]) => unknown>>;

/**
 * A store that is opened at first use: each call waits for that.
 *
 * @param open returns the same one each time
 * @param own methods that need no open store
 */
export function lazyStore<Store extends object, Own extends object>(
  open: () => Promise<Store>,
  own: Own,
): Store & Own & { open(): Promise<void> } {
  const target = { ...own, open: async () => void (await open()) };
  const call =
    (name: PropertyKey) =>
    async (...given: unknown[]) => {
      const store: object = await open().catch(throwUnavailable);
      return (store as Calls)[name]?.(...given);
    };
  return new Proxy(target, {
    get: (_, name) => (name in target || name === 'then' ? Reflect.get(target, name) : call(name)),
  }) as Store & typeof target;
}
