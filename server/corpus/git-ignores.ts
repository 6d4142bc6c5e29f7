import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { unlessMissing } from './local/failures.ts';

/** The rules of one `.gitignore`. */
interface Rules {
  /** The folder that they stand in, with `/` at its end; `''` is the root. */
  readonly folder: string;
  readonly lines: readonly string[];
  readonly ignore: Ignore;
}

/** What is known of a folder. */
interface Folder {
  /** The rule that leaves it out, or a folder around it. */
  readonly ignoredBy?: string | undefined;
  /** That apply in it, the nearest first. */
  readonly rules: readonly Rules[];
}

/** Says what the `.gitignore` files of a folder and of those below it leave out. `.git` is always left out. */
export class GitIgnores {
  readonly #root: string;
  readonly #isOff: boolean;
  readonly #folders = new Map<string, Promise<Folder>>();

  /** @param isOff whether only `.git` is left out */
  constructor(root: string, isOff: boolean) {
    this.#root = root;
    this.#isOff = isOff;
  }

  /**
   * The rule that leaves out a file or a folder, such as `*.log in sub/.gitignore`; undefined if none does.
   *
   * @param path relative to the root, with `/` between folders
   */
  async ruleFor(path: string, isFolder: boolean): Promise<string | undefined> {
    if (this.#isOff) return ruleOf(path, isFolder, []);
    const parent = dirname(path);
    const { ignoredBy, rules } = await this.#folder(parent === '.' ? '' : parent);
    return ignoredBy ?? ruleOf(path, isFolder, rules);
  }

  #folder(path: string): Promise<Folder> {
    const known = this.#folders.get(path) ?? this.#read(path);
    this.#folders.set(path, known);
    return known;
  }

  async #read(path: string): Promise<Folder> {
    const above = path === '' ? NOTHING : await this.#parentOf(path);
    if (above.ignoredBy !== undefined) return above;
    const text = await unlessMissing(readFile(join(this.#root, path, '.gitignore'), 'utf8'));
    if (text === undefined) return above;
    const folder = path === '' ? '' : `${path}/`;
    return { rules: [rulesOf(folder, text.split(/\r?\n/)), ...above.rules] };
  }

  /** What the folder around it says of this folder. Rules that left it out and were overruled say nothing of what is in it. */
  async #parentOf(path: string): Promise<Folder> {
    const parent = dirname(path);
    const around = await this.#folder(parent === '.' ? '' : parent);
    const ignoredBy = around.ignoredBy ?? ruleOf(path, true, around.rules);
    if (ignoredBy !== undefined) return { ignoredBy, rules: [] };
    return { rules: around.rules.map((one) => withoutRulesOf(one, path)) };
  }
}

function rulesOf(folder: string, lines: readonly string[]): Rules {
  return { folder, lines, ignore: ignore({ ignorecase: false }).add([...lines]) };
}

/** The same rules but for those that leave out this folder, if others have overruled them. */
function withoutRulesOf(rules: Rules, path: string): Rules {
  if (!verdict(rules, path, true).ignored) return rules;
  const { folder, lines } = rules;
  return rulesOf(
    folder,
    lines.filter((line) => !verdict(rulesOf(folder, [line]), path, true).ignored),
  );
}

const NOTHING: Folder = { rules: [] };

/** The rule that leaves out a path: if several say something of it, the nearest counts. */
function ruleOf(path: string, isFolder: boolean, rules: readonly Rules[]): string | undefined {
  if (path === '.git' || path.endsWith('/.git')) return '.git';
  for (const one of rules) {
    const { ignored, unignored, rule } = verdict(one, path, isFolder);
    if (ignored) return `${rule?.pattern ?? 'a rule'} in ${one.folder}.gitignore`;
    if (unignored) return undefined;
  }
  return undefined;
}

function verdict({ folder, ignore }: Rules, path: string, isFolder: boolean) {
  return ignore.test(path.slice(folder.length) + (isFolder ? '/' : ''));
}
