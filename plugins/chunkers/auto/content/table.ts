const DELIMITERS = ['\t', ',', ';', '|'];
/** Minimum records of a table. */
const MIN_RECORDS = 3;
/** Records that are examined. */
const MAX_RECORDS = 200;

/** A first line that tells Excel the delimiter. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([^\r\n"])"?\1{0,1000} {0,99}(?:\r\n|\r|\n)/i;

/** Whether a text is CSV: all of its first records have the same number of fields with one delimiter. */
export function isTable(text: string): boolean {
  const sample = text.replace(SEPARATOR_LINE, '');
  const [first = ''] = sample.trimStart().split('\n', 1);
  return DELIMITERS.some((delimiter) => first.includes(delimiter) && isTableBy(sample, delimiter));
}

function isTableBy(sample: string, delimiter: string): boolean {
  const records = recordsOf(sample, delimiter);
  const [fields = 0] = records;
  if (records.length < MIN_RECORDS || fields < 2 || records.some((count) => count !== fields)) return false;
  return fields > 2 || !isPunctuation(sample, delimiter);
}

/**
 * Whether a delimiter looks like prose, because a space follows; exactly two fields may also be the halves of a
 * sentence.
 */
function isPunctuation(sample: string, delimiter: string): boolean {
  return /[,;]/.test(delimiter) && sample.replace(/"[^"]*"/g, '').includes(`${delimiter} `);
}

/**
 * The number of fields of each of the first records, skipping blank lines; line breaks and delimiters within quotes do not count.
 */
function recordsOf(sample: string, delimiter: string): number[] {
  const records: number[] = [];
  let [fields, isQuoted, isBlank] = [1, false, true];
  const end = () => {
    if (!isBlank) records.push(fields);
    [fields, isBlank] = [1, true];
  };
  for (const character of sample) {
    if (records.length === MAX_RECORDS) return records;
    if (character === '"') isQuoted = !isQuoted;
    if (character === '\n' && !isQuoted) end();
    else if (character === delimiter && !isQuoted) fields++;
    if (isBlank && !/\s/.test(character)) isBlank = false;
  }
  end();
  return records;
}
