import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT, SOURCES, type Sources } from './sources.ts';

/** Phrases that are word-for-word translations, and what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/(?:^|[.:;] )Of (?!course\b)/, 'a subject: "For a batch, ..." or "The files of ..."'],
  [
    /(?<!\b[Tt]here )\b(?:is|are) no (?!longer\b|more\b|less\b|worse\b|better\b|other\b|two\b)/,
    'is not a, are not',
  ],
  [/(?<!\b[Tt]here )\b(?:is|are) none\b/, 'is not one of them, is not'],
  [/\bthat (?:is|are) there\b/, 'existing'],
  [/\b(?:is|are|was) there already\b/, 'already exists'],
  [/\bbehind (?!a (?:proxy|load balancer)\b|an API\b|gunicorn\b|the moon\b)/, 'after'],
  [/\bstands? (?:in|under|there|behind|before|alone)\b/, 'is in, is below'],
  [/\bstands? for\b/, 'means, represents'],
  [/\b(?:is|are) told\b|\btold of\b/, 'is notified'],
  [/\b[Nn]obody is\b/, 'the passive: "is not notified"'],
  [/\bsurely\b/, 'certainly'],
  [/\banew\b/, 'again'],
  [/\bwith patience\b/, 'retrying'],
  [/\bhalf a surrogate pair|halves of surrogate pairs/i, 'a lone surrogate'],
  [/\bMost (?:\w+ )?\w+s (?:of|that|in|at|which) /, 'Maximum'],
  [/\b[Ff]ewest (?:sentences|characters|pieces) of\b/, 'minimum'],
  [/\b[Ww]hat becomes? of\b/, 'how to treat, the outcome of'],
  [/\bgo(?:es)? on (?:with|in|after)\b/, 'continue'],
  [/\b(?:what is|was|were|if it is) asked for\b/, 'requested'],
  [/\bnot (?:\w+ )?any more\b|\b(?:holds|needs|occur) any more\b/, 'no longer'],
  [/\bin the place of\b/, 'instead of'],
  [/\bcomes? along\b/, 'is included, is bundled'],
  [/\bwhite space alone\b/, 'only white space'],
  [/\bof which each\b/, 'in which each'],
  [/\btaken? away\b/, 'removed'],
  [/\bworked on\b/, 'processed'],
  [/\bleads? out of\b/, 'is outside'],
  [/\bthe ones there are\b|\bwhat there is\b/, 'all'],
  [/\b(?:known|ready|counted) are\b/, 'available: ..., the count is'],
  [/\bdo(?:es)? not fall\b/, 'never decreases'],
  [/\bmend(?:s|ed)?\b/, 'fix'],
  [/\btried again\b/, 'retried'],
  [/\bunless given\b/, 'default ...'],
  [/\bsays? nothing\b/, 'means nothing'],
];

/** Written by hand and not history: the changelog keeps the words of its time, and types of the API are generated. */
const IGNORED = /(^|\/)(node_modules|CHANGELOG\.md|api-types\.ts)/;

const PAGES: Sources = new Map(
  globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'build', 'data'] })
    .sort()
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
);

const COMMENT = /^\s*(?:\/\*\*?|\*\/?|\/\/)/;
/** Strings of at least three words. */
const STRING = /(['"`])((?:\\.|(?!\1)[^\\])*? (?:\\.|(?!\1)[^\\])*? (?:\\.|(?!\1)[^\\])*?)\1/g;

/** The prose of a file: comments and sentences in strings, or a page without its code. */
function proseIn(file: string, source: string): string[] {
  if (file.endsWith('.md')) return source.replaceAll(/^\s*```[\s\S]*?^\s*```/gm, '').split('\n');
  return source.split('\n').flatMap((line) => {
    if (COMMENT.test(line)) return [line.replace(COMMENT, '').trim()];
    return [...line.matchAll(STRING)].map(([, , text = '']) => text);
  });
}

function foreignIn(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    if (IGNORED.test(file)) return [];
    const prose = proseIn(file, source);
    return PHRASES.flatMap(([phrase, instead]) =>
      prose.filter((line) => phrase.test(line)).map((line) => `${file}: "${line}": write "${instead}"`),
    );
  });
}

t.test('comments, messages and pages are idiomatic English', async (t) => {
  t.same(foreignIn(SOURCES), []);
  t.same(foreignIn(PAGES), []);
});

t.test('the phrases are seen in comments, strings and pages, and not in code', async (t) => {
  for (const [file, source] of [
    ['core/a.ts', '/** Of several readers one is enough. */'],
    ['core/a.ts', ' * One that is no chunk.'],
    ['core/a.ts', "throw new Error('the table that is there is full');"],
    ['a.md', 'The text behind the cut.'],
  ] as const)
    t.equal(foreignIn(new Map([[file, source]])).length, 1, source);
  for (const [file, source] of [
    ['core/a.ts', 'const anew = behind + 1;'],
    ['core/a.ts', '/** There is no chunk, and it is no longer empty. */'],
    ['a.md', '```\ntext that is there\n```'],
  ] as const)
    t.same(foreignIn(new Map([[file, source]])), [], source);
});
