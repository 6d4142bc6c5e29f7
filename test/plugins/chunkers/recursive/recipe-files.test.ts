import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadRecipes } from '../../../../plugins/chunkers/recursive/recipes.ts';
import { collaborators, quietLog } from '../../../../server/testing/collaborators.ts';
import { type Cleanup, temporaryFolder } from '../../../support/server.ts';

const FOLDER = join(import.meta.dirname, '../../../../plugins/chunkers/recursive');
const LANGUAGES = readFileSync(join(FOLDER, 'languages.json'), 'utf8');
const GOOD = '{ "levels": [{ "language": "sentence" }, { "white_space": true }] }';
const TEXT = 'One two. Three.';

async function load(t: Cleanup, files: Record<string, string>) {
  const present = { 'languages.json': LANGUAGES, 'recipes/good.json': GOOD };
  const folder = await temporaryFolder(t, { ...present, ...files });
  const warnings: string[] = [];
  const log = { ...quietLog, warn: (_details: object, message: string) => warnings.push(message) };
  const { hierarchyOf } = loadRecipes(collaborators({ log }), folder);
  return { finders: (...asked: Parameters<typeof hierarchyOf>) => hierarchyOf(...asked).finders, warnings };
}

t.test('one malformed recipe is named, and leaves the rest', async (t) => {
  const { finders, warnings } = await load(t, { 'recipes/worse.json': '{\n  "levels":' });
  t.equal(finders('good', 'en', TEXT)[0]?.(TEXT, 0, TEXT.length).length, 1);
  const message = /^recipes\/worse\.json, line 2, column 12: this is not valid JSON/;
  t.throws(() => finders('worse', 'en', TEXT), { message, expose: true });
  t.equal(warnings.length, 1);
  t.match(warnings[0], message);
});

t.test('the place of an error in JSON is found wherever it is', async (t) => {
  const places = { '{"levels":]}': '1, column 11', '{"levels" []}': '1, column 11', '': '1, column 1' };
  const others = { '{\n\n  "levels": [}\n}': '3, column 14', '{"levels": ["a': '1, column 15' };
  for (const [json, place] of Object.entries({ ...places, ...others })) {
    const { warnings } = await load(t, { 'recipes/bad.json': json });
    t.match(warnings[0], new RegExp(`^recipes/bad\\.json, line ${place}: `), json);
  }
});

t.test('recipes are held to their schema, with suggestions', async (t) => {
  const cases: [levels: unknown, problem: string][] = [
    [[{ delimiter: ['x'] }], 'levels[0].delimiter: unknown parameter, did you mean "delimiters"?'],
    [[{ white_space: true }, { line_starts: '# ' }], 'levels[1].line_starts: expected a list'],
    [[{ language: 'word' }], 'levels[0].language: expected one of "sentence", "clause"'],
    [
      [{}],
      'levels[0]: expected one of delimiters, line_starts, language, white_space, blank_lines, markdown, diff, log, got none',
    ],
    [[{ white_space: true, markdown: 'lines' }], 'got white_space and markdown'],
    [[{ white_space: true, include_delim: 'next' }], 'include_delim is only for delimiters'],
    [[{ markdown: 'lines', depth: 2 }], 'depth is only for'],
    [[{ markdown: 'headings', depth: 7 }], 'levels[0].depth: expected an integer from 1 to 6'],
    ['all', 'levels: expected a list'],
    [undefined, 'levels: missing'],
  ];
  for (const [levels, problem] of cases) {
    const { warnings } = await load(t, { 'recipes/bad.json': JSON.stringify({ levels }) });
    t.match(warnings[0], /^recipes\/bad\.json: /);
    t.match(warnings[0], problem);
  }
});

t.test('a malformed list of languages leaves the recipes that need none', async (t) => {
  const { finders, warnings } = await load(t, {
    'languages.json': '{ "default": { "sentense": [". "], "clause": [] } }',
    'recipes/plain.json': '{ "levels": [{ "white_space": true }] }',
  });
  t.match(warnings[0], /^languages\.json: default\.sentense: unknown parameter, did you mean "sentence"\?/);
  t.equal(finders('plain', 'en', TEXT).length, 1);
  t.throws(() => finders('good', 'en', TEXT), { message: /^languages\.json: /, expose: true });
});
