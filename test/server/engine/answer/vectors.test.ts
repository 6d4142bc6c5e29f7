import fc from 'fast-check';
import t from 'tap';
import { vectorBase64, vectorJson, vectorOfBase64 } from '../../../../plugins/toolkit/json/ascii-numbers.ts';
import { ByteWriter } from '../../../../server/engine/answer/byte-writer.ts';

/** Vectors as JSON: each number is the same float again, with the fewest digits. */

function written(values: Float32Array): string {
  const writer = new ByteWriter(1e6, 0);
  writer.vector(values);
  return Buffer.from(writer.written()).toString();
}

/** Of a text such as -0.00125 or 1.5e-7, without zeros at its ends. */
const digitsOf = (number: string): number => number.replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '').length;

const minDigits = (value: number): number => {
  for (let digits = 1; digits < 9; digits++)
    if (Math.fround(Number(value.toPrecision(digits))) === value) return digits;
  return 9;
};

const anyFloat = fc.float({ noNaN: true, noDefaultInfinity: true });
const ofVector = fc.float({ noNaN: true, min: -1, max: 1 });

t.test('a number in JSON is the same float, with the fewest digits', async () => {
  const property = fc.property(fc.array(fc.oneof(ofVector, anyFloat), { minLength: 1 }), (list) => {
    const values = Float32Array.from(list);
    const text = written(values);
    const read: number[] = JSON.parse(text);
    const parts = text.slice(1, -1).split(',');
    for (const [index, value] of values.entries()) {
      const wanted = value === 0 ? 0 : value;
      if (!Object.is(Math.fround(read[index] as number), wanted))
        throw new Error(`${value} became ${parts[index]}`);
      const digits = digitsOf(parts[index] as string);
      if (value !== 0 && digits > minDigits(value))
        throw new Error(`${parts[index]} is longer than necessary`);
    }
  });
  fc.assert(property, { numRuns: 2000 });
});

t.test('numbers that JSON has in other forms', async (t) => {
  const values = Float32Array.of(
    0,
    -0,
    1,
    -1,
    0.1,
    0.5,
    0.99999994,
    1e-7,
    123.25,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  );
  t.equal(written(values), '[0,0,1,-1,0.1,0.5,0.99999994,1e-7,123.25,0,0]');
  t.equal(written(new Float32Array()), '[]');
});

t.test('a vector of any length as a text, and as base64 there and back', async (t) => {
  for (const length of [0, 1, 512, 4096, 4097]) {
    const vector = Float32Array.from({ length }, (_, index) => Math.sin(index + 1)).subarray(
      length === 0 ? 0 : 1,
    );
    t.equal(vectorJson(vector), written(vector));
    t.same(Float32Array.from(JSON.parse(vectorJson(vector))), vector);
    t.same(vectorOfBase64(vectorBase64(vector)), vector);
  }
  t.equal(vectorBase64(Float32Array.of(1, -2)), 'AACAPwAAAMA=');
});
