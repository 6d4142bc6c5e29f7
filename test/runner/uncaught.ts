import type { Test } from 'tap';

/** Fails the innermost test that runs with an error that nobody catches. */
export function failWithUncaught(root: Test): void {
  process.on('uncaughtException', (thrown: unknown, tapCaught) => {
    const error = thrown instanceof Error ? thrown : new Error(`thrown: ${thrown}`);
    innermost(root).threw(Object.assign(error, { tapCaught }));
  });
}

function innermost(test: Test): Test {
  const inner = [...(test.activeSubtests ?? [])].at(-1) as Test | undefined;
  return inner === undefined ? test : innermost(inner);
}
