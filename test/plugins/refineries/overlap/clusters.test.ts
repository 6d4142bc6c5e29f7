import fc from 'fast-check';
import t from 'tap';
import { splitsCluster } from '../../../../plugins/refineries/overlap/index.ts';

const POINTS = [
  'a',
  '\r',
  '\n',
  'e\u0301',
  '🇩',
  '🇪',
  '👩',
  '\u200d',
  '\u094d',
  '\u0915',
  '\u1100',
  '\u1160',
  '\u11a8',
  '\ufe0f',
];
const text = fc.array(fc.constantFrom(...POINTS), { maxLength: 24 }).map((points) => points.join(''));
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

t.test('an offset splits a cluster where Intl.Segmenter has no edge', async () => {
  const holds = fc.property(text, (text) => {
    const edges = new Set(Array.from(segmenter.segment(text), ({ index }) => index)).add(text.length);
    for (let at = 0, point = 0; at <= text.length; at += point) {
      point = String.fromCodePoint(text.codePointAt(at) ?? 0).length;
      if (splitsCluster(text, at) === edges.has(at)) throw new Error(`${at} of ${JSON.stringify(text)}`);
    }
  });
  fc.assert(holds, { numRuns: 2000 });
});
