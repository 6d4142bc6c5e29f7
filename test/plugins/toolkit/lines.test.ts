import fc from 'fast-check';
import t from 'tap';
import { LineEnds, nextLine } from '../../../plugins/toolkit/lines.ts';

t.test('lines that are searched for end where those do that are read', async () => {
  const broken = fc
    .array(fc.constantFrom('a', '\n', '\r', '\r\n'), { maxLength: 30 })
    .map((units) => units.join(''));
  const steps = fc.array(fc.nat({ max: 5 }), { maxLength: 40 });
  fc.assert(
    fc.property(broken, steps, (text, steps) => {
      const lines = new LineEnds(text);
      let from = 0;
      for (const step of steps) {
        from = Math.min(from + step, text.length);
        const next = lines.next(from);
        const line = text.slice(from, next);
        if (next !== nextLine(text, from, text.length)) return false;
        if (text.slice(from, lines.end) !== line.replace(/[\r\n]+$/, '')) return false;
      }
      return true;
    }),
    { numRuns: 1000 },
  );
});
