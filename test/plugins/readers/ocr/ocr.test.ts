import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import type { Collaborators } from '../../../../core/contracts/plugin.ts';
import type { Reader } from '../../../../core/contracts/reader.ts';
import { createRegistry } from '../../../../core/hosting/registry.ts';
import createOcr from '../../../../plugins/readers/ocr/index.ts';
import manifest from '../../../../plugins/readers/ocr/manifest.ts';
import { BUILT_IN_PLUGINS, loadRegistry } from '../../../../server/plugins/loader/loader.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { postForm } from '../../../support/files.ts';
import { never } from '../../../support/hosted-host.ts';
import { checkProblem } from '../../../support/problems.ts';
import { openService } from '../../../support/service.ts';

const { resolve } = createRequire(import.meta.url);
const isMissing = (name: string): boolean => {
  try {
    resolve(name);
    return false;
  } catch {
    return true;
  }
};
const missing = manifest.needs.packages.filter(isMissing);
const installed = { skip: missing.length > 0 && `${missing.join(', ')} not installed` };

const PAGE = readFileSync(join(import.meta.dirname, '../../../fixtures/ocr/page.png'));
const TEXT = [
  'A Morning at the Harbour',
  'The harbour was quiet in the early morning, and the fishermen had not yet come back from the open water. A light wind moved the flags above the market, where people were already setting up their tables.',
  '- bread and fresh butter\n- two baskets of apples\n- seven boxes of herring',
  'Total of the day: 1,204.50 dollars',
].join('\n\n');

let reader: Promise<Reader> | undefined;

async function read(bytes: Uint8Array, options = {}) {
  reader ??= Promise.resolve((createOcr as (given: Collaborators) => Reader)(collaborators()));
  const reported: Record<string, string> = {};
  let pages = 0;
  const answer = await (await reader).read(
    { bytes, name: undefined, mediaType: undefined, charset: undefined },
    {
      report: (name, value) => void Object.assign(reported, { [name]: value }),
      signal: never,
      options,
      progress: () => void pages++,
    },
  );
  return { ...answer, reported, pages };
}

const image = async (bytes: Uint8Array) => (await import('sharp')).default(bytes);

t.test('a page is read as Markdown, with box and confidence of each line', installed, async (t) => {
  const { text, places = [], metadata, mediaType, reported } = await read(PAGE);
  t.equal(text, TEXT);
  t.equal(mediaType, 'text/markdown');
  t.match(metadata, { ocr_confidence: Number });
  t.same(Object.keys(reported), ['ocr-confidence']);
  t.equal(places.length, 9);
  t.equal(
    text.slice(places[1]?.start, places[1]?.end),
    'The harbour was quiet in the early morning, and the',
  );
  for (const { page, box = [0, 0, 0, 0], ocr_confidence: confidence } of places) {
    const [left, top, right, bottom] = box;
    t.equal(page, 1);
    t.ok(left > 0.1 && left < 0.2 && right > left && right < 0.9 && bottom > top && bottom < top + 0.1);
    t.ok(typeof confidence === 'number' && confidence > 0.7 && confidence <= 1);
  }
});

t.test(
  'a picture that is slanted and turned is read, with boxes where the lines are shown',
  installed,
  async (t) => {
    const slanted = await (await image(PAGE)).rotate(1.5, { background: '#fff' }).jpeg().toBuffer();
    t.equal((await read(slanted)).text, TEXT);
    const turned = await (await image(PAGE)).rotate(90).webp({ lossless: true }).toBuffer();
    const { text, places } = await read(turned);
    t.equal(text, TEXT);
    const [left = 0, top = 0, right = 0, bottom = 0] = places?.[0]?.box ?? [];
    t.ok(left > 0.8 && right < 0.95 && top > 0.05 && bottom > 0.7, 'the title runs down at the right');
  },
);

t.test('the pages of a TIFF are read one by one; a blank one has an empty place', installed, async (t) => {
  const blank = { create: { width: 667, height: 458, channels: 3, background: '#fff' } } as const;
  const sharp = (await import('sharp')).default;
  const frames = [await sharp(blank).png().toBuffer(), PAGE];
  const pages = await sharp(frames, { join: { animated: true } })
    .tiff()
    .toBuffer();
  const { text, places, pages: told } = await read(pages);
  t.equal(text, TEXT);
  t.same(places?.[0], { start: 0, end: 0, page: 1 });
  t.equal(places?.[1]?.page, 2);
  t.equal(told, 2, 'the time of a file begins again for each page');
});

t.test('what is no text is refused, and said to be none', installed, async (t) => {
  const sharp = (await import('sharp')).default;
  const blank = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#eee' } })
    .png()
    .toBuffer();
  const large = await sharp({ create: { width: 8000, height: 5100, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>');
  for (const [bytes, problem] of [
    [blank, 'no text was found in it.'],
    [large, 'it has more than 40 million pixels; make it smaller.'],
    [svg, 'it is not an image, or broken.'],
    [Buffer.from('text'), 'it is not an image, or broken.'],
    [Buffer.alloc(0), 'it is empty.'],
    [PAGE.subarray(0, 3000), /^The image cannot be read: it is broken: /],
  ] as const) {
    const message = typeof problem === 'string' ? `The image cannot be read: ${problem}` : problem;
    await t.rejects(read(bytes), { statusCode: 400, message });
  }
});

t.test('a language that is not installed is refused with the command that adds it', installed, async (t) => {
  await t.rejects(read(PAGE, { languages: ['eng', 'xyz'] }), {
    statusCode: 400,
    message: /not installed: xyz; installed: .*eng.*"npm install @tesseract\.js-data\/xyz"/,
  });
});

t.test('without the packages an image is a 500 with the command that adds them', async (t) => {
  const { all } = await loadRegistry({ folders: [BUILT_IN_PLUGINS], only: [], env: {} });
  const lacking = 'packages are not installed: run "npm install sharp" in the plugin\'s folder';
  const without = all.map((entry) => (entry.id === 'reader/ocr' ? { ...entry, missing: [lacking] } : entry));
  const service = await openService(t, {}, createRegistry(without));
  const file = { bytes: PAGE, name: 'page.png', type: 'image/png' };
  const answer = await postForm(service, '/v1/chunk/token/file', file, []);
  checkProblem(t, answer, 500, /"ocr".*npm install sharp/);
});
