import { HOSTILE_PAGES } from './hostile-pages.ts';

const BYTES = 3_000_000;

export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = Object.fromEntries(
  Object.entries(HOSTILE_PAGES).map(([name, page]) => [name, () => Buffer.from(page(BYTES))]),
);
