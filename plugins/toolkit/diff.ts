export interface DiffFile {
  readonly start: number;
  readonly end: number;
  /** The new path, or for a deleted file its old path. Only the last 200 characters of a path are kept. */
  readonly path: string;
}

/** Rising offsets of line starts where a diff can be cut. */
export interface DiffParts {
  readonly commits: readonly number[];
  readonly files: readonly DiffFile[];
  readonly hunks: readonly number[];
  /** Starts of all lines except the header lines of files and the first lines of hunks. */
  readonly lines: readonly number[];
}

/**
 * Finds the files and hunks of a diff: unified, combined, context or normal. Knows the headers of git, Subversion,
 * CVS, Mercurial, Bazaar and quilt, also in mails and logs. Counts the lines of a hunk, so that the removal of a line
 * `-- comment` is not mistaken for the header of a file. Takes linear time.
 */
export function findDiffParts(text: string): DiffParts {
  const first = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const scan = new DiffScan(text);
  for (let at = first; at < text.length; ) at = scan.read(at);
  const { commits, files, hunks, lines } = scan.parts();
  // If the text begins with a byte order mark, the first line includes the mark.
  const behind = (at: number) => (at === first ? 0 : at);
  return {
    commits: commits.map(behind),
    files: files.map((file) => ({ ...file, start: behind(file.start) })),
    hunks: hunks.map(behind),
    lines: lines.map(behind),
  };
}

const BYTE_ORDER_MARK = '\ufeff';

/** A pattern that matches one of several line starts. A line feed in a source matches every kind of line break. */
function patternOf(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|').replaceAll('\\n', '(?:\\r?\\n|$)'), 'y');
}

const COMMIT = patternOf(
  'From [0-9a-f]{12,64} ',
  'commit [0-9a-f]{7,64}(?: .*)?\\n(?:Author|Merge|Commit|tree)\\b',
  '# HG changeset patch',
  'changeset: +\\d+:[0-9a-f]{12}',
  '-{72}\\nr\\d+ \\| ',
);

const HEADERS: readonly RegExp[] = [
  patternOf('Index: .*\\n={3,}\\n', '=== (?:added|modified|removed|renamed) \\w+ '),
  patternOf('diff (?:--(?:git|cc|combined) |-[a-zA-Z])'),
  patternOf('--- .*\\n\\+{3} .*\\n@@+ -', '\\*{3} .*\\n--- .*\\n\\*{15}'),
];
/** Index in `HEADERS` of the lines with the old and the new path, which end a header. */
const SIDES = 2;
const OUTSIDE = HEADERS.length;
/** If a header would have more lines than this, its first line was ordinary text. */
const MAX_HEADER_LINES = 24;

const UNIFIED = /@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/y;
const RANGES = ['\\*{3} \\d+(?:,\\d+)? \\*{4}', '-{3} \\d+(?:,\\d+)? -{4}'];
/** A line within a context hunk that must not be separated from the next line. */
const RANGE = patternOf(...RANGES);
/** Hunks whose length is not given: patterns for the first line, and for each further line. */
const UNCOUNTED: readonly (readonly [start: RegExp, line: RegExp])[] = [
  [patternOf('@@@+ -'), patternOf('[ +\\\\-]', '\\n')],
  [patternOf('\\*{15}(?: .*)?\\n\\*{3} \\d'), patternOf('[ !+-][ \\t\\n]', '\\n', '\\\\', ...RANGES)],
  [patternOf('\\d+(?:,\\d+)?[acd]\\d+(?:,\\d+)?\\n[<>]'), patternOf('[<>]', '---\\n', '\\\\')],
  [patternOf('GIT binary patch\\n'), patternOf('(?:literal|delta) \\d', '[a-zA-Z]\\S+\\n', '\\n')],
];

class DiffScan {
  readonly #text: string;
  readonly #commits: number[] = [];
  readonly #files: DiffFile[] = [];
  readonly #hunks: number[] = [];
  readonly #lines: number[] = [];
  #file: { start: number; path: string; hasHunks: boolean } | undefined;
  /** While a header is read, the index in `HEADERS` of its last line; otherwise `OUTSIDE`. */
  #header = OUTSIDE;
  #headerLines = 0;
  #before = 0;
  #after = 0;
  /** Matches the lines of the current hunk; undefined if the hunk's length is given. */
  #body: RegExp | undefined;
  #isGlued = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads a line. @returns the start of the next line */
  read(at: number): number {
    const feed = this.#text.indexOf('\n', at);
    if (this.#isInHunk(at)) {
      if (!this.#isGlued) this.#lines.push(at);
      this.#isGlued = this.#body !== undefined && this.#matches(RANGE, at);
    } else this.#readOutside(at);
    return feed === -1 ? this.#text.length : feed + 1;
  }

  parts(): DiffParts {
    this.#endFile(this.#text.length);
    return { commits: this.#commits, files: this.#files, hunks: this.#hunks, lines: this.#lines };
  }

  #matches(pattern: RegExp, at: number): boolean {
    pattern.lastIndex = at;
    return pattern.test(this.#text);
  }

  #isInHunk(at: number): boolean {
    if (this.#body !== undefined) return this.#matches(this.#body, at);
    const first = this.#text.charAt(at);
    if (first === '\\') return this.#file?.hasHunks ?? false;
    // Some programs remove the space that is the only character of a blank context line.
    const isContext = first === ' ' || first === '\n' || first === '\r';
    const isOld = isContext || first === '-';
    const isNew = isContext || first === '+';
    if ((isOld && this.#before === 0) || (isNew && this.#after === 0)) return false;
    if (isOld) this.#before--;
    if (isNew) this.#after--;
    return isOld || isNew;
  }

  #readOutside(at: number): void {
    this.#before = 0;
    this.#after = 0;
    this.#body = undefined;
    this.#isGlued = false;
    if (this.#beginsHunk(at)) return;
    const header = HEADERS.findIndex((pattern) => this.#matches(pattern, at));
    if (header !== -1) this.#beginHeader(at, header);
    else if (this.#matches(COMMIT, at)) {
      this.#endFile(at);
      this.#commits.push(at);
    } else if (this.#header === OUTSIDE) this.#lines.push(at);
    else if (++this.#headerLines === MAX_HEADER_LINES) this.#header = OUTSIDE;
  }

  #beginsHunk(at: number): boolean {
    UNIFIED.lastIndex = at;
    const counts = UNIFIED.exec(this.#text);
    if (counts !== null) {
      this.#before = Number(counts[1] ?? 1);
      this.#after = Number(counts[2] ?? 1);
    } else {
      this.#body = UNCOUNTED.find(([start]) => this.#matches(start, at))?.[1];
      if (this.#body === undefined) return false;
    }
    if (this.#file?.hasHunks !== false) this.#hunks.push(at);
    if (this.#file !== undefined) this.#file.hasHunks = true;
    this.#header = OUTSIDE;
    this.#isGlued = true;
    return true;
  }

  #beginHeader(at: number, header: number): void {
    const second = this.#text.indexOf('\n', at) + 1;
    const path = pathIn(this.#lineAt(at), this.#lineAt(second), header);
    if (header > this.#header && this.#file !== undefined) this.#file.path = path;
    else {
      this.#endFile(at);
      this.#file = { start: at, path, hasHunks: false };
    }
    this.#header = header;
    this.#headerLines = 0;
  }

  #lineAt(at: number): string {
    return this.#text.slice(at, at + MAX_READ).split(/\r?\n/, 1)[0] as string;
  }

  #endFile(end: number): void {
    if (this.#file !== undefined) this.#files.push({ start: this.#file.start, end, path: this.#file.path });
    this.#file = undefined;
    this.#header = OUTSIDE;
  }
}

const MAX_READ = 2000;
const MAX_PATH_LENGTH = 200;

function pathIn(first: string, second: string, header: number): string {
  const path = header === SIDES ? pathOfSides(first.slice(4), second.slice(4)) : pathOfLine(first);
  return path.slice(-MAX_PATH_LENGTH).toWellFormed();
}

function pathOfSides(before: string, after: string): string {
  const from = pathOfSide(before);
  const to = pathOfSide(after);
  const path = to === NOTHING ? from : to;
  const isMarked = [from, to].every((side) => side === NOTHING || MARK.test(side));
  return isMarked ? path.replace(MARK, '') : path;
}

function pathOfSide(side: string): string {
  return unquoted(side.replace(/(?:\t.*| +\d{4}-\d\d-\d\d \d\d:.*)$/, ''));
}

const NOTHING = '/dev/null';
/** Prefixes that git adds to the old and the new path: `a/`, `b/`. */
const MARK = /^[abciow]\//;

/** Examples: `Index: path`, `=== modified file 'path'`, `diff --git a/path b/path`. */
function pathOfLine(line: string): string {
  if (!line.startsWith('diff ')) return line.replace(/^Index: |^=== \w+ \w+ '?|'$/g, '');
  const paths = line.replace(/^diff (?:-\S+ )*/, '');
  const middle = (paths.length - 1) / 2;
  if (paths.charAt(middle) === ' ') return unquoted(paths.slice(middle + 1)).replace(MARK, '');
  const renamed = paths.slice(Math.max(paths.lastIndexOf(' b/'), paths.lastIndexOf(' "b/')) + 1);
  return unquoted(renamed).replace(MARK, '');
}

/** Removes git's quotes around a path. In quotes, git writes the bytes of UTF-8 as octal numbers. */
function unquoted(path: string): string {
  if (!/^".*"$/.test(path)) return path;
  const bytes = path
    .slice(1, -1)
    .replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    .replace(/\\(["\\])/g, '$1');
  return Buffer.from(bytes, 'latin1').toString();
}
