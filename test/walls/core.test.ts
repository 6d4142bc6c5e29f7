import { posix } from 'node:path';
import t from 'tap';
import { SOURCES, type Sources, targetOf } from './sources.ts';

/** Core is what a newcomer reads first: contracts, hosting, and the engine that every chunker needs whatever the format. */
const MAX_LINES = 4200;

t.test(`core has at most ${MAX_LINES} lines`, async (t) => {
  const core = [...SOURCES].filter(([file]) => file.startsWith('core/'));
  const lines = core.reduce((sum, [, source]) => sum + source.split('\n').length - 1, 0);
  t.comment(`${lines} lines`);
  t.ok(lines <= MAX_LINES, `${lines} lines`);
});

/** Formats and natural languages. JSON is what contracts are written in, and `Buffer` knows encodings. */
const FORMATS =
  'markdown|html?|xml|svg|pdf|docx?|xlsx?|pptx?|epub|odt|rtf|csv|tsv|yaml|toml|zip|latex|asciidoc|diff|patch|log file|srt|vtt';
const LANGUAGES =
  'english|german|french|spanish|italian|portuguese|dutch|russian|polish|turkish|chinese|japanese|korean|thai|arabic|hebrew|hindi|greek';
const WORDS = new RegExp(`(?<![\\w/])(?:${FORMATS}|${LANGUAGES})(?![\\w/])`, 'gi');
/** Media types and endings of files, which contracts carry and do not read. */
const NAMES_OF_FORMATS = /\b[a-z]+\/[a-z][\w.+-]*|(?<=`)\.[a-z]+(?=`)/g;

function wordsIn(sources: Sources): string[] {
  return [...sources].flatMap(([file, source]) => {
    if (!file.startsWith('core/')) return [];
    const words = source.replace(NAMES_OF_FORMATS, '').match(WORDS) ?? [];
    return words.map((word) => `${file}: ${word}`);
  });
}

t.test('core has no word of a format or a natural language', async (t) => {
  t.same(wordsIn(SOURCES), []);
  for (const source of ['/** A table of Markdown. */', "open('zip');", 'const german = 1;', '// XML'])
    t.equal(wordsIn(new Map([['core/a.ts', source]])).length, 1, source);
  for (const source of ["'text/markdown'", '/** Such as `.pdf`. */', 'const different = unzipped;'])
    t.same(wordsIn(new Map([['core/a.ts', source]])), [], source);
});

const KIT = 'core/kit.ts';
const isDoor = (file: string) =>
  file === KIT || /^plugins\/toolkit\/(?!index\.ts$)[^/]+(?:\.ts|\/index\.ts)$/.test(file);

/** Who imports something: a plugin, a part of the toolkit, core, or a folder of the server. */
function userOf(file: string): string {
  const [room = '', kind = '', name = ''] = file.split('/');
  if (room === 'core') return room;
  if (room === 'server') return `${room}/${kind}`;
  return kind === 'toolkit' ? `${kind}/${name.replace('.ts', '')}` : `${kind}/${name}`;
}

const EXPORTED = /^export (?:const|(?:async )?function|class) (\w+)/gm;
const REEXPORTED = /^export (?:\{([^}]*)\}|\*) from '([^']*)';/gm;
const IMPORTED = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']*)';/gm;
const namesIn = (list: string) =>
  list.split(',').flatMap((name) => /^(?!type )(\w+)/.exec(name.trim())?.[1] ?? []);

/** The values that a door exports, with the files that they are from. */
function valuesOf(door: string, source: string): [name: string, file: string][] {
  const own = Array.from(source.matchAll(EXPORTED), ([, name = '']): [string, string] => [name, door]);
  const others = [...source.matchAll(REEXPORTED)].flatMap(([, list, specifier = '']) => {
    const file = posix.join(posix.dirname(door), specifier);
    if (list !== undefined) return namesIn(list).map((name): [string, string] => [name, file]);
    return valuesOf(file, SOURCES.get(file) ?? '');
  });
  return [...own, ...others];
}

/** Templates of plugins import from outside of the tree. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'chunksmith/kit': 'kit',
  'chunksmith/toolkit': 'toolkit',
};

/** Who imports each value, by `file name`, and by `kit name` or `toolkit name` from outside of the tree. */
function usersByValue(): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const [file, source] of SOURCES) {
    if (isDoor(file) && file !== posix.basename(file) && /index\.ts$|kit\.ts$/.test(file)) continue;
    for (const [, list = '', specifier = ''] of source.matchAll(IMPORTED)) {
      const from = OUTSIDE[specifier] ?? targetOf(file, { specifier, kind: 'static' });
      for (const name of namesIn(list)) {
        const key = `${from} ${name}`;
        users.set(key, (users.get(key) ?? new Set()).add(userOf(file)));
      }
    }
  }
  return users;
}

t.test('each value of the kit and the toolkit has at least two users', async (t) => {
  const users = usersByValue();
  const doors = [...SOURCES].filter(([file]) => isDoor(file));
  const few = doors.flatMap(([door, source]) =>
    valuesOf(door, source).flatMap(([name, file]) => {
      const outside = `${door === KIT ? 'kit' : 'toolkit'} ${name}`;
      const keys = [`${door} ${name}`, `${file} ${name}`, outside];
      const found = new Set(keys.flatMap((key) => [...(users.get(key) ?? [])]));
      return found.size < 2 ? [`${door}: ${name}: ${[...found].join()}`] : [];
    }),
  );
  t.ok(doors.length > 10);
  t.same(few, []);
});
