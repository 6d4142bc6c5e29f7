import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Kind } from '../../../../core/contracts/manifest.ts';
import { inWords } from '../../../../server/testing/checks/result.ts';
import { runStep, STEPS } from '../../../../server/testing/checks/steps.ts';
import { openSubject } from '../../../../server/testing/checks/subject.ts';
import { STAND_INS } from '../../../support/here.ts';
import { plugin, pluginsFolder } from '../../../support/plugins.ts';

/** Work that grows with the square of a text is found in plugins of each kind, by processor time. */

/** Looks at all behind each character, and at all chunks for each; what a built-in function does counts too. */
const SQUARE = `
const square = (text) => { for (let at = 0; at < text.length; at++) text.lastIndexOf('#no', at); };
const all = (chunks) => chunks.map((one) => chunks.filter((other) => other.text === one.text).length);
`;
const LINE = `
const square = (text) => { for (const one of text) one.codePointAt(0); };
const all = (chunks) => Map.groupBy(chunks, ({ text }) => text);
`;

const KINDS: readonly (readonly [kind: Kind, manifest: object, made: string])[] = [
  ['chunker', {}, '{ chunk: (text) => (square(text), [{ start: 0, end: text.length }]) }'],
  ['refinery', {}, '{ refine: (chunks) => (all(chunks), chunks.map((chunk) => ({ ...chunk }))) }'],
  [
    'reader',
    { formats: { extensions: ['.one'] } },
    '{ read({ bytes }) { const text = String(bytes.length); square("x".repeat(bytes.length)); return { text }; } }',
  ],
  [
    'tokenizer',
    { models: ['made'] },
    `{ names: () => ['made'], open: async () => ({ name: 'made', tokenize: (text) => ({
      count: (start, end) => end - start,
      ends: () => (square(text), Uint32Array.from({ length: text.length }, (_, unit) => unit + 1)),
    }) }) }`,
  ],
  [
    'embedding',
    { models: ['made'] },
    `{ list: () => [{ name: 'made' }], open: async () => ({ name: 'made', bytes: 0, embed: async ([text]) => {
      square(text);
      return { dimensions: 1, values: new Float32Array(1) };
    } }) }`,
  ],
];

async function growthOf(t: Test, kind: Kind, manifest: object, source: string): Promise<string[]> {
  const folder = await pluginsFolder(t, plugin({ kind, name: 'grows', ...manifest }, source));
  const env = { PLUGINS_DIR: STAND_INS.join(',') };
  const subject = await openSubject(join(folder, 'grows'), { env });
  const step = STEPS.find(({ name }) => name === 'growth');
  if (step === undefined) throw new Error('there is no such step');
  return (await runStep(step, subject)).flatMap(({ failures }) => failures.map(inWords));
}

for (const [kind, manifest, made] of KINDS) {
  const isTriedBoth = kind === 'chunker' || kind === 'refinery';
  t.test(`${kind}: quadratic work is found${isTriedBoth ? ', linear work is none' : ''}`, async (t) => {
    const source = (square: string) => `${square}export default () => (${made});\n`;
    if (isTriedBoth) t.same(await growthOf(t, kind, manifest, source(LINE)), []);
    const [found = 'none'] = await growthOf(t, kind, manifest, source(SQUARE));
    const expected =
      /not quadratically\nfound: .*: \d+ characters take [\d.]+ ms .*, \d+ take [\d.]+ ms\nto change: /;
    t.match(found, expected);
  });
}

t.test('a regular expression that is tried at each place is found in white space', async (t) => {
  const made = `export default () => ({ chunk(text) {
    text.replace(/\\s+#$/, '');
    return [{ start: 0, end: text.length }];
  } });`;
  const [found = 'none'] = await growthOf(t, 'chunker', {}, made);
  t.match(found, /not quadratically/);
});
