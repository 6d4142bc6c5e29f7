const WORDS = 'tea milk sugar water leaf boil cup pot green black white cold hot sweet strong'.split(' ');

/** Texts of so many bytes for the chunkers of the formats that they are in. */
export function dataTexts(bytes: number): Readonly<Record<string, string>> {
  return { html: htmlText(bytes), table: csvText(bytes), json: jsonText(bytes), code: codeText(bytes) };
}

function words(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => WORDS[(seed * 7 + at * 11) % WORDS.length]).join(' ');
}

function filled(bytes: number, part: (index: number) => string, begin = '', end = ''): string {
  let text = begin;
  for (let index = 0; text.length < bytes; index++) text += part(index);
  return text + end;
}

function htmlText(bytes: number): string {
  const section = (index: number) =>
    `<section id="s${index}">\n<h2>Chapter ${index}</h2>\n<p class="lead">${words(index, 40)}.</p>\n<ul>\n<li>${words(index, 8)}</li>\n<li>${words(index + 1, 8)}</li>\n</ul>\n<p>${words(index + 2, 60)} &amp; <a href="#s${index}">${words(index, 3)}</a>.</p>\n</section>\n`;
  return filled(bytes, section, '<!doctype html>\n<html><body><h1>Tea</h1>\n', '</body></html>\n');
}

function csvText(bytes: number): string {
  return filled(
    bytes,
    (index) => `${index},"${words(index, 6)}",${index * 3.5},${words(index, 2)}\n`,
    'id,text,price,kind\n',
  );
}

function jsonText(bytes: number): string {
  const member = (index: number) =>
    `${index === 0 ? '' : ','}\n  ${JSON.stringify({ id: index, text: words(index, 12), tags: ['a', 'b'], size: { w: index, h: 2.5 } })}`;
  return filled(bytes, member, '[', '\n]\n');
}

function codeText(bytes: number): string {
  const unit = (index: number) =>
    `/** ${words(index, 9)}. */\nexport function ${words(index, 1)}${index}(cup, pot) {\n  const water = pot.boil(${index});\n  for (const leaf of water) cup.push({ leaf, kind: '${words(index, 2)}' });\n  return cup;\n}\n\n`;
  return filled(bytes, unit);
}
