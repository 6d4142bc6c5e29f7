import fc from 'fast-check';
import t from 'tap';
import { isLineStart, startOfLine } from '../../../core/engine/lines.ts';

const NEAR = 240;

function nearestLineStart(text: string, floor: number, end: number): number | undefined {
  for (let at = end; at >= Math.max(floor, end - NEAR); at--) if (isLineStart(text, at)) return at;
  return undefined;
}

t.test('the start of a line is the nearest one, of short lines and of long ones', async () => {
  const lines = fc.array(fc.oneof(fc.nat(12), fc.nat(300)), { maxLength: 12 });
  fc.assert(
    fc.property(lines, fc.nat(), fc.nat(), (lengths, one, other) => {
      const text = lengths.map((length) => `${'x'.repeat(length)}\n`).join('');
      const end = one % (text.length + 1);
      const floor = other % (end + 1);
      const found = startOfLine(text, floor, end);
      if (found !== nearestLineStart(text, floor, end))
        throw new Error(`${found} in ${JSON.stringify(text)}`);
    }),
    { numRuns: 2000 },
  );
});
