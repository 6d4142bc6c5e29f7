import { parseExactJson } from '../json/index.ts';

/** The JSON of a value that a JavaScript number or date cannot represent with all digits. */
export class ExactJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }

  /** The digits or the text of the value, for member names and ids. */
  toString(): string {
    return this.json.startsWith('"') ? (JSON.parse(this.json) as string) : this.json;
  }
}

type Unit = 'MILLIS' | 'MICROS' | 'NANOS';

/** An element of a Parquet schema, as hyparquet reads it. */
interface SchemaElement {
  readonly type?: unknown;
  readonly converted_type?: string | undefined;
  readonly logical_type?:
    | { readonly type: string; readonly scale?: number; readonly unit?: Unit }
    | undefined;
  readonly scale?: number | undefined;
}

type Convert = (value: never) => unknown;

/** The converter of the column whose page hyparquet converts next. */
let convert: Convert = (value) => value;

/**
 * Marks columns whose values hyparquet would round, refuse or not convert, as dates: only the date parser
 * gets unconverted values. Hyparquet reads the type just before it converts a page.
 */
export function withExactLeaves<Element extends object>(
  schema: readonly Element[],
): (Element & { readonly converted_type?: unknown })[] {
  return schema.map((element) => {
    const { type, converted_type: _, logical_type: __, ...rest }: SchemaElement = element;
    const own = type === undefined ? undefined : conversionOf(element);
    if (own === undefined) return element;
    return {
      ...rest,
      type,
      get converted_type() {
        convert = own;
        return 'DATE' as const;
      },
    } as unknown as Element;
  });
}

/** Parsers for the values of a schema from `withExactLeaves`, but not for other values such as statistics. */
export const EXACT_PARSERS = {
  dateFromDays: (value: unknown) => convert(value as never),
  timestampFromMicroseconds: (value: bigint) => timestampOf(value, 1000n),
  timestampFromNanoseconds: (value: bigint) => timestampOf(value, 1_000_000n),
};

const UNITS = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n };

function conversionOf({
  converted_type: old,
  logical_type: type,
  scale = 0,
}: SchemaElement): Convert | undefined {
  if (type?.type === 'DECIMAL') return decimalsOf(type.scale ?? scale);
  if (type?.type === 'TIME') return timesOf(UNITS[type.unit ?? 'MICROS']);
  if (type?.type === 'DATE' || old === 'DATE') return dateOf;
  if (old === 'DECIMAL') return decimalsOf(scale);
  if (old === 'TIME_MILLIS') return timesOf(UNITS.MILLIS);
  if (old === 'TIME_MICROS') return timesOf(UNITS.MICROS);
  if (old === 'INTERVAL' || type?.type === 'INTERVAL') return intervalOf;
  // BSON stays bytes, so that its row is refused.
  if (old === 'BSON' || type?.type === 'BSON') return (value: Uint8Array) => value;
  return undefined;
}

function decimalsOf(scale: number): Convert {
  return (value: number | bigint | Uint8Array) => {
    const unscaled = value instanceof Uint8Array ? signedOf(value) : BigInt(value);
    const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
    const point = digits.length - scale;
    const fraction = scale > 0 ? `.${digits.slice(point)}` : '';
    return new ExactJson(`${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`);
  };
}

/** Reads a big-endian number in two's complement. */
function signedOf(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${hex || '0'}`));
}

const MILLISECONDS_PER_DAY = 86_400_000;
const SECONDS_PER_DAY = 86_400n;
/** The value for dates and times outside the range of `Date`, such as infinity. */
const OUT_OF_RANGE = new Date(Number.NaN);

const dateOf = (days: number): Date => new Date(days * MILLISECONDS_PER_DAY);

/** Formats times in ISO 8601, with 0, 3, 6 or 9 decimal places of a second. */
function timesOf(unit: bigint): Convert {
  return (value: number | bigint) => {
    const count = BigInt(value);
    const seconds = count / unit;
    if (count < 0n || count > SECONDS_PER_DAY * unit) return OUT_OF_RANGE;
    const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
    const clock = parts.map((part) => String(part).padStart(2, '0')).join(':');
    const fraction = inThrees(String(count % unit).padStart(String(unit).length - 1, '0'));
    return new ExactJson(`"${clock}${fraction === '' ? '' : `.${fraction}`}"`);
  };
}

/** A `Date` if the time is in whole milliseconds; otherwise text with 6 or 9 decimal places of a second. */
function timestampOf(value: bigint, perMillisecond: bigint): Date | ExactJson {
  const rest = ((value % perMillisecond) + perMillisecond) % perMillisecond;
  const date = new Date(Number((value - rest) / perMillisecond));
  if (rest === 0n || Number.isNaN(date.getTime())) return date;
  const digits = inThrees(String(rest).padStart(String(perMillisecond).length - 1, '0'));
  return new ExactJson(`"${date.toISOString().slice(0, -1)}${digits}Z"`);
}

function inThrees(digits: string): string {
  return digits.replace(/(?:000)+$/, '');
}

function intervalOf(bytes: Uint8Array): ExactJson {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [months = 0, days = 0, milliseconds = 0] = [0, 4, 8].map((at) => view.readUInt32LE(at));
  const date = `${months === 0 ? '' : `${months}M`}${days === 0 ? '' : `${days}D`}`;
  const fraction = inThrees(String(milliseconds % 1000).padStart(3, '0'));
  const seconds = `${Math.floor(milliseconds / 1000)}${fraction === '' ? '' : `.${fraction}`}`;
  return new ExactJson(`"P${date}${milliseconds === 0 && date !== '' ? '' : `T${seconds}S`}"`);
}

/** Parses JSON and keeps all digits of its numbers. Invalid JSON is returned as text. */
export function valueOfJson(text: string): unknown {
  try {
    const value = parseExactJson(text);
    return typeof value === 'object' && value !== null ? new ExactJson(JSON.stringify(value)) : value;
  } catch {
    return text;
  }
}
