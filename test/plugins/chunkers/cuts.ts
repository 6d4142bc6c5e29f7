import type { Test } from 'tap';
import type { Shapes } from '../../support/linear-work.ts';
import { openChunkers } from '../../support/service.ts';

/**
 * A text with ‖ where options cut it, and the values of fields of its chunks, in which a list is `1-3`. Where chunks are not
 * the text, `text` is one of the options.
 */
type Cut = readonly [marked: string, options?: object, fields?: Readonly<Record<string, readonly unknown[]>>];

/** As JSON has them, in a `cuts.json`, where `null` in a list of values is a field that is missing. */
type Cuts = readonly (Cut | readonly (string | object)[])[];

/** Tests how a chunker cuts texts, with options of all and their own, by the sentences that say it. */
export async function testCuts(
  t: Test,
  chunker: string,
  common: object,
  sentences: Readonly<Record<string, Cuts>>,
): Promise<void> {
  const chunk = await openChunkers();
  for (const [sentence, cuts] of Object.entries(sentences)) {
    t.test(sentence, async (t) => {
      for (const [marked, options = {}, fields = {}] of cuts as readonly Cut[]) {
        const text = marked.replaceAll('‖', '');
        const found: readonly object[] = await chunk(chunker, { text, ...common, ...options });
        const valuesOf = (name: string) => found.map((one) => (one as Record<string, unknown>)[name]);
        t.equal(valuesOf('text').join('‖'), marked, JSON.stringify(options));
        for (const [name, values] of Object.entries(fields)) t.same(valuesOf(name).map(shown), values, name);
      }
    });
  }
}

const shown = (value: unknown) => (Array.isArray(value) ? value.join('-') : value);

/** Checks that a chunker overflows no stack by 1 MB of shapes, and loses nothing of it. */
export async function checkDepth(
  t: Test,
  chunker: string,
  shapes: Shapes,
  names: readonly string[],
  optionsFor: (shape: string) => object = () => ({}),
): Promise<void> {
  const chunk = await openChunkers();
  for (const name of names) {
    const text = shapes[name]?.(1e6) ?? '';
    const chunks = await chunk(chunker, { text, chunk_size: 4096, ...optionsFor(name) });
    t.ok(chunks.map((one) => one.text).join('') === text && text.length > 9e5, name);
  }
}
