const QUOTE = 0x22;

/**
 * The fields of a record of CSV. A quote within a field that does not begin with one is a character as any.
 *
 * This is no library: csv-parse 7.0.3 loses the rows behind a record that is too long (`max_record_size` with
 * `skip_records_with_error`), and without that limit keeps all that stands behind a quote which is not closed.
 *
 * @param record UTF-8, without its end
 * @param delimiter one byte
 * @returns undefined if a quoted field is not closed, or goes on after its closing quote
 */
export function csvFields(record: Buffer, delimiter: number): string[] | undefined {
  const fields: string[] = [];
  for (let at = 0; at <= record.length; ) {
    const isQuoted = record[at] === QUOTE;
    const end = isQuoted ? endOfQuoted(record, at + 1) + 1 : endOfPlain(record, at, delimiter);
    if (isQuoted && (end === 0 || (end < record.length && record[end] !== delimiter))) return undefined;
    const text = isQuoted ? record.toString('utf8', at + 1, end - 1) : record.toString('utf8', at, end);
    fields.push(isQuoted ? text.replaceAll('""', '"') : text);
    at = end + 1;
  }
  return fields;
}

/** Index of the quote that closes a field; two of them stand for one in it. */
function endOfQuoted(record: Buffer, from: number): number {
  let quote = record.indexOf(QUOTE, from);
  while (quote !== -1 && record[quote + 1] === QUOTE) quote = record.indexOf(QUOTE, quote + 2);
  return quote;
}

function endOfPlain(record: Buffer, from: number, delimiter: number): number {
  const end = record.indexOf(delimiter, from);
  return end === -1 ? record.length : end;
}
