import type { TemplateName } from '../manifest.ts';

/** What a template tag does. */
export interface Role {
  readonly role: 'open' | 'close' | 'single' | 'comment' | 'text';
  /** An opening and a closing tag with the same key are a pair. */
  readonly key: string;
  /** The name of the block. */
  readonly name: string;
}

/** A kind of tag, by its delimiters. */
export interface Delimiters {
  readonly open: string;
  /** A global pattern; `brace`: the brace that closes the first one; `none`: the tag is only `open`. */
  readonly close: RegExp | 'brace' | 'none';
  readonly role: (content: string) => Role;
}

/** A kind of templates: elements and comments of HTML, and more. */
export interface Dialect {
  readonly name: TemplateName;
  readonly aliases: readonly string[];
  /** In the order in which they are tried. */
  readonly tags: readonly Delimiters[];
  /** Whether attributes may have values in braces, which may contain `>`. */
  readonly hasBracedValues: boolean;
  /** Whether outermost elements are parts of the file, whose content is not markup. */
  readonly hasParts: boolean;
  /** Whether `<` counts only if an element is closed somewhere, because the file may have no elements. */
  readonly isAnyText: boolean;
  /** Language of the lines between `---` at the beginning. */
  readonly frontMatter?: string;
  /** Language of scripts that name none. */
  readonly script: string;
}

const TEXT: Role = { role: 'text', key: '', name: '' };
const SINGLE: Role = { role: 'single', key: '', name: '' };
const COMMENT: Role = { role: 'comment', key: '', name: '' };
const text = () => TEXT;
const comment = () => COMMENT;

/** `block content` opens what `endblock` closes. */
function jinjaRole(content: string): Role {
  const name = content.replace(/^[-+~]|[-+~]$/g, '').trim();
  const word = /^\w+/.exec(name)?.[0] ?? '';
  if (/^end./.test(word)) return { role: 'close', key: word.slice(3), name };
  // A block that is set to a value has no end.
  if (word === '' || (word === 'set' && name.includes('='))) return SINGLE;
  return { role: 'open', key: word, name };
}

/** `#if` and `^if` open what `/if` closes. */
function handlebarsRole(content: string): Role {
  const name = content.replace(/^~|~$/g, '').trim();
  const [, mark = '', key = ''] = /^([#^/])[*>]?\s*([^\s}]+)/.exec(name) ?? [];
  if (mark === '/') return { role: 'close', key, name };
  if (mark !== '') return { role: 'open', key, name };
  return /^else\b|^\^$/.test(name) ? SINGLE : TEXT;
}

const RUBY_OPENING = /^(?:if|unless|case|while|until|for|begin|def|class|module)\b|\bdo(?:\s*\|[^|]*\|)?$/;

/** Ruby's `if` and `do` open what `end` closes; in JavaScript braces do. */
function embeddedRole(content: string): Role {
  const name = content.replace(/^[-=_]+|[-_]$/g, '').trim();
  if (/^end\b/.test(name)) return { role: 'close', key: 'end', name };
  if (/^\}[\s\S]*\{$/.test(name)) return SINGLE;
  if (/^\}/.test(name)) return { role: 'close', key: '}', name };
  if (/\{(?:\s*\|[^|]*\|)?$/.test(name)) return { role: 'open', key: '}', name };
  if (/^(?:else|elsif|when|rescue|ensure|in)\b/.test(name)) return SINGLE;
  if (RUBY_OPENING.test(name) && !/\bend$/.test(name)) return { role: 'open', key: 'end', name };
  return /^=/.test(content) ? TEXT : SINGLE;
}

/** `{#if` opens what `{/if` closes; other braces are expressions. */
function svelteRole(content: string): Role {
  const [, mark = '', key = ''] = /^\s*([#/:@])\s*(\w+)/.exec(content) ?? [];
  const name = content.trim();
  if (mark === '/') return { role: 'close', key, name };
  if (mark === '#') return { role: 'open', key, name };
  return mark === '' ? TEXT : SINGLE;
}

type Row = Omit<Dialect, 'name'>;

const HTML: Omit<Row, 'tags'> = {
  aliases: [],
  hasBracedValues: false,
  hasParts: false,
  isAnyText: false,
  script: 'javascript',
};
const ANY_TEXT: Omit<Row, 'tags'> = { ...HTML, isAnyText: true, frontMatter: 'yaml' };

const ROWS: Readonly<Record<TemplateName, Row>> = {
  astro: {
    ...HTML,
    // Expressions and elements may contain each other.
    tags: [
      { open: '{/*', close: /\*\/\s*\}/g, role: comment },
      { open: '{', close: 'none', role: () => ({ role: 'open', key: '}', name: '' }) },
      { open: '}', close: 'none', role: () => ({ role: 'close', key: '}', name: '' }) },
    ],
    hasBracedValues: true,
    frontMatter: 'typescript',
    script: 'typescript',
  },
  erb: {
    ...ANY_TEXT,
    aliases: ['ejs', 'eruby'],
    tags: [
      { open: '<%%', close: 'none', role: text },
      { open: '<%#', close: /%>/g, role: comment },
      { open: '<%', close: /%>/g, role: embeddedRole },
    ],
  },
  handlebars: {
    ...ANY_TEXT,
    aliases: ['hbs', 'mustache'],
    tags: [
      { open: '{{!--', close: /--~?\}\}/g, role: comment },
      { open: '{{~!--', close: /--~?\}\}/g, role: comment },
      { open: '{{!', close: /\}\}/g, role: comment },
      { open: '{{{', close: /\}\}\}/g, role: text },
      { open: '{{', close: /\}\}/g, role: handlebarsRole },
    ],
  },
  jinja: {
    ...ANY_TEXT,
    aliases: ['jinja2', 'j2', 'django', 'nunjucks', 'twig', 'liquid'],
    tags: [
      { open: '{#', close: /#\}/g, role: comment },
      { open: '{%', close: /%\}/g, role: jinjaRole },
      { open: '{{', close: /\}\}/g, role: text },
    ],
  },
  svelte: { ...HTML, tags: [{ open: '{', close: 'brace', role: svelteRole }], hasBracedValues: true },
  vue: { ...HTML, tags: [{ open: '{{', close: /\}\}/g, role: text }], hasParts: true },
};

/** Sorted by name. */
export const DIALECTS: readonly Dialect[] = (Object.keys(ROWS) as TemplateName[]).map((name) => ({
  name,
  ...ROWS[name],
}));

/** @param name a name or an alias, case-insensitive */
export function findDialect(name: string): Dialect | undefined {
  const wanted = name.toLowerCase();
  return DIALECTS.find((dialect) => dialect.name === wanted || dialect.aliases.includes(wanted));
}
