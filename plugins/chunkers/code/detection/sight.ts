import { findLanguage, type Language } from '../languages.ts';
import type { LanguageName } from '../manifest.ts';
import { codeOf } from './openings.ts';

/** Programs of a shebang and modes of editors that are not named like their language. */
const OTHER_NAMES: ReadonlyMap<string, LanguageName> = new Map([
  ['rscript', 'r'],
  ['runghc', 'haskell'],
  ['shell-script', 'bash'],
  ['ksh', 'bash'],
  ['dash', 'bash'],
  ['cperl', 'perl'],
  ['js2', 'javascript'],
  ['gfm', 'markdown'],
]);

/** Characters in which what decides at sight is sought. */
const SIGHT = 2048;
/** Characters of a text that is parsed to see whether it is JSON. */
const LONGEST_JSON = 100_000;

/** The language of a text whose beginning leaves no doubt: a shebang, an editor's mode line, `<?php`, a doctype. */
export function languageAtSight(text: string): Language | undefined {
  const head = text.slice(0, SIGHT);
  return fromShebang(head) ?? fromModeLine(head) ?? findLanguage(byBeginning(head, text) ?? '');
}

function byBeginning(head: string, text: string): LanguageName | undefined {
  const start = head.trimStart().toLowerCase();
  if (start.startsWith('<?php') || start.startsWith('<?=')) return 'php';
  if (/^(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<(!doctype html|html)\b/.test(start)) {
    return text.slice(0, LONGEST_JSON).includes('<?php') ? 'php' : 'html';
  }
  if (start.startsWith('%yaml ')) return 'yaml';
  if (/^\/\/\/ *<reference (?:no-default-lib|lib)=/m.test(head)) return 'typescript';
  if (isGo(head)) return 'go';
  if (/^return <<'\w+';\r?$/m.test(head)) return 'perl';
  if ((start[0] === '{' || start[0] === '[') && isJson(text)) return 'json';
  return undefined;
}

/** `package name` on a line of its own before all but comments, and an import or declaration as only Go has it. */
function isGo(head: string): boolean {
  const [, rest = ''] = /^package \w+\s*(?:\/\/.*)?\n([\s\S]*)/.exec(codeOf(head)) ?? [];
  return /^(import (\(|(\w+ )?")|func (\(\w* ?\*?\w+\) )?\w+\(|type \w+ (struct|interface)\b)/m.test(rest);
}

function isJson(text: string): boolean {
  if (text.length > LONGEST_JSON) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function fromShebang(head: string): Language | undefined {
  const [, path = '', argument = ''] = /^\uFEFF?#!\s*(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(head) ?? [];
  const program = (path.endsWith('/env') ? argument : path).split('/').at(-1) ?? '';
  return RUNS_SCRIPTS.test(program) ? undefined : named(program);
}

/** Programs that run both JavaScript and TypeScript. */
const RUNS_SCRIPTS = /\b(?:node|deno|bun|tsx|ts-node)$/;

const MODE_LINES = [
  /-\*-\s*(?:.*;\s*)?mode:\s*([\w+-]+?)(?:-mode)?\s*(?:;.*)?-\*-/i,
  /-\*-\s*([\w+-]+?)(?:-mode)?\s*-\*-/,
  /\bvim?:.*\b(?:ft|filetype|syntax)=([\w+-]+)/,
];
const MODE_LINES_WITHIN = 5;

function fromModeLine(head: string): Language | undefined {
  for (const line of head.split('\n', MODE_LINES_WITHIN)) {
    for (const pattern of MODE_LINES) {
      const mode = line.length < SIGHT ? pattern.exec(line)?.[1] : undefined;
      if (mode !== undefined) return named(mode);
    }
  }
  return undefined;
}

function named(program: string): Language | undefined {
  const name = program.toLowerCase();
  return findLanguage(OTHER_NAMES.get(name) ?? name) ?? findLanguage(name.replace(/[\d.]+$/, ''));
}
