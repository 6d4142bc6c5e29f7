/** Longest key that is kept. */
const MAX_LENGTH = 64;

/** Maximum keys that are kept. At that number all are dropped, so that users' words never stay for long. */
const MAX_ENTRIES = 1 << 16;

/** Caches the results of `read` for short words, within a bound. */
export function createMemo<Value>(read: (word: string) => Value): (word: string) => Value {
  const known = new Map<string, Value>();
  return (word) => {
    if (word.length > MAX_LENGTH) return read(word);
    let value = known.get(word);
    if (value === undefined) {
      value = read(word);
      if (known.size >= MAX_ENTRIES) known.clear();
      known.set(detach(word), value);
    }
    return value;
  };
}

/** A copy of a word that does not keep the text alive that it was sliced from. */
const detach = (word: string): string => ` ${word}`.slice(1);
