/** Directives, braces, and what hides braces. */
const TOKEN =
  /^[ \t]{0,200}#[ \t]{0,100}(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b|\/\/|\/\*|["'{}]/gm;

/** A branch of `#if`, from its directive on. */
interface Branch {
  readonly start: number;
  /** Where its directive ends. */
  readonly body: number;
  end: number;
  /** Open braces at its end, and at least. */
  depth: number;
  lowest: number;
}

type Condition = [Branch, ...Branch[]];

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Blanks everything but line breaks. */
export function blank(text: string): string {
  return text.replace(/[^\r\n]{1,1000}/g, (line) => ' '.repeat(line.length));
}

/**
 * Blanks the directives around braces that only together with others are balanced, and all branches but the first:
 * a grammar can read either these or the braces.
 */
export function maskedConditions(text: string): string {
  const blanks = unbalanced(text).sort((a, b) => a.start - b.start);
  let [masked, covered] = ['', 0];
  for (const { start, end } of blanks) {
    if (end <= covered) continue;
    const from = Math.max(start, covered);
    masked += text.slice(covered, from) + blank(text.slice(from, end));
    covered = end;
  }
  return masked + text.slice(covered);
}

/** What has to be blanked. */
function unbalanced(text: string): Stretch[] {
  const open: Condition[] = [];
  const blanks: Stretch[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const { 0: token, 1: directive, index } = found;
    TOKEN.lastIndex = endOf(text, token, directive, TOKEN.lastIndex);
    const condition = open.at(-1);
    const branch = { start: index, body: TOKEN.lastIndex, end: index, depth: 0, lowest: 0 };
    if (directive?.startsWith('if')) open.push([branch]);
    else if (condition !== undefined && directive === undefined) count(condition.at(-1) as Branch, token);
    else if (condition !== undefined) {
      (condition.at(-1) as Branch).end = index;
      if (directive === 'endif') blanks.push(...close(open, TOKEN.lastIndex, text));
      else condition.push(branch);
    }
  }
  return blanks;
}

/** Where a token ends that begins at most before an offset. */
function endOf(text: string, token: string, directive: string | undefined, from: number): number {
  if (directive !== undefined) return endOfDirective(text, from);
  if (token === '//') return before(text.indexOf('\n', from), text);
  if (token === '/*') return before(text.indexOf('*/', from), text);
  return token === '"' || token === "'" ? endOfString(text, token, from) : from;
}

function before(found: number, text: string): number {
  return found === -1 ? text.length : found;
}

function endOfDirective(text: string, from: number): number {
  let at = before(text.indexOf('\n', from), text);
  while (at < text.length && /\\\r?$/.test(text.slice(at - 2, at)))
    at = before(text.indexOf('\n', at + 1), text);
  return at;
}

const END = /["'\\\n]/g;

/** The end of a string, which a line break ends as well. */
function endOfString(text: string, quote: string, from: number): number {
  END.lastIndex = from;
  for (let found = END.exec(text); found !== null; found = END.exec(text)) {
    if (found[0] === '\n') return found.index;
    if (found[0] === quote) return found.index + 1;
    if (found[0] === '\\') END.lastIndex = found.index + 2;
  }
  return text.length;
}

function count(branch: Branch, token: string): void {
  if (token === '{') branch.depth++;
  else if (token === '}') branch.lowest = Math.min(branch.lowest, --branch.depth);
}

/** Ends a condition, and says what of it is blanked; its first branch counts for what is around it. */
function close(open: Condition[], end: number, text: string): Stretch[] {
  const branches = open.pop() as Condition;
  const [first, second] = branches;
  const around = open.at(-1)?.at(-1);
  if (around !== undefined) {
    around.lowest = Math.min(around.lowest, around.depth + first.lowest);
    around.depth += first.depth;
  }
  const isBalanced = branches.every(({ depth, lowest }) => depth === 0 && lowest === 0);
  if (isBalanced && !isHead(text, first, end)) return [];
  return [
    { start: first.start, end: first.body },
    { start: second?.start ?? first.end, end },
  ];
}

/** Whether a branch ends within a declaration, whose body follows the condition. */
function isHead(text: string, { body, end }: Branch, after: number): boolean {
  const isOpen = /\)\s{0,20}$/.test(text.slice(Math.max(body, end - 24), end));
  return isOpen && /^\s{0,20}\{/.test(text.slice(after, after + 24));
}
