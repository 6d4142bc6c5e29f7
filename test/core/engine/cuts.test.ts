import fc from 'fast-check';
import t from 'tap';
import { isShorter } from '../../../core/engine/cuts.ts';

/** Units around those that surrogates are, and their halves, in pairs and alone. */
const UNITS = [
  'a',
  '漢',
  '\ucfff',
  '\ud7ff',
  '\ue000',
  '\uf8ff',
  '\uffff',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
];
const text = fc.array(fc.constantFrom(...UNITS), { maxLength: 40 }).map((units) => units.join(''));

t.test('a piece is short if it has fewer code points', async () => {
  const edges = fc.tuple(fc.nat({ max: 40 }), fc.nat({ max: 40 }), fc.integer({ min: 1, max: 20 }));
  fc.assert(
    fc.property(text, edges, (text, [one, other, minimum]) => {
      const [start, end] = [Math.min(one, other, text.length), Math.min(Math.max(one, other), text.length)];
      return isShorter(text, start, end, minimum) === [...text.slice(start, end)].length < minimum;
    }),
    { numRuns: 2000 },
  );
});
