import type { TemplateName } from '../manifest.ts';

export interface Role {
  readonly role: 'open' | 'close' | 'single' | 'comment' | 'text';
  /** Opening and closing tags with the same key form a pair. */
  readonly key: string;
  readonly name: string;
}

export interface Delimiters {
  readonly open: string;
  /** A global pattern for the end of the tag; `brace`: the matching brace; `none`: the tag consists only of `open`. */
  readonly close: RegExp | 'brace' | 'none';
  readonly role: (content: string) => Role;
}

/** A template language, which extends HTML. */
export interface Dialect {
  readonly name: TemplateName;
  readonly aliases: readonly string[];
  readonly tags: readonly Delimiters[];
  /** Whether attribute values may be in braces. Such values may contain `>`. */
  readonly hasBracedValues: boolean;
  /** Whether each outermost element except `template` holds code, as in Vue. */
  readonly hasParts: boolean;
  /** Whether a file may be text without markup. In such a file, `<` begins a tag only if a closing tag exists. */
  readonly isAnyText: boolean;
  /** Language of the front matter, between two lines of `---`. */
  readonly frontMatter?: string;
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
  // A `set` with a value has no closing tag.
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

/** Ruby pairs `if` or `do` with `end`; JavaScript pairs braces. */
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
    // Each brace is a tag of its own, because expressions and elements may contain each other.
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

export const DIALECTS: readonly Dialect[] = (Object.keys(ROWS) as TemplateName[]).map((name) => ({
  name,
  ...ROWS[name],
}));

/** @param name a name or an alias, case-insensitive */
export function findDialect(name: string): Dialect | undefined {
  const wanted = name.toLowerCase();
  return DIALECTS.find((dialect) => dialect.name === wanted || dialect.aliases.includes(wanted));
}
