import { closest, distance } from 'fastest-levenshtein';

const MAX_COMPARED = 64;

/** The known name closest to a mistyped name, if close enough. @param most maximum letters that differ */
export function suggest(
  name: string,
  known: readonly string[],
  most = Math.max(2, Math.floor(name.length / 2)),
): string | undefined {
  if (name.length > MAX_COMPARED || known.length === 0) return undefined;
  const [given, ...candidates] = [name, ...known].map((one) => one.toLowerCase()) as [string, ...string[]];
  const near = closest(given, candidates);
  return distance(given, near) <= most ? known[candidates.indexOf(near)] : undefined;
}

const UNKNOWN = /there is no [^"]*"([^"]*)"; available: ([^;"]*)$/;

/** Adds the closest known name to a plugin's problem with an unknown name. */
export function withSuggestion(sentence: string): string {
  const problem = sentence.replace(/\.$/, '');
  const [, name, known = ''] = UNKNOWN.exec(problem) ?? [];
  if (name === undefined) return sentence;
  const near = suggest(name, known.split(/, | and /));
  return near === undefined ? sentence : `${problem} (did you mean "${near}"?)`;
}
