import type { Test } from 'tap';

/** Sets variables of the environment until the test ends. */
export function setVariables(t: Test, env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    const before = process.env[name];
    setVariable(name, value);
    t.teardown(() => setVariable(name, before));
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
