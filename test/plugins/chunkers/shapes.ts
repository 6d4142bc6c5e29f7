import type { Shapes } from '../../support/linear-work.ts';

/**
 * Texts of about a given length, each named by what it is made of: parts in «» are repeated, each as often. So `<ul>«<li>a»`
 * is one list of many items.
 */
export function shapesOf(...made: readonly string[]): Shapes {
  return Object.fromEntries(made.map((one) => [one, (length: number) => textOf(one, length)]));
}

function textOf(made: string, length: number): string {
  const repeated = [...made.matchAll(/«([^»]*)»/g)].map(([, part = '']) => part.length);
  const times = Math.ceil(length / repeated.reduce((sum, one) => sum + one, 0));
  return made.replace(/«([^»]*)»/g, (_, part: string) => part.repeat(times));
}
