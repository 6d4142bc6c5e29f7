interface Facts {
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What is taken of the hundred names of Tika. */
const AUTHORS = 'dc:creator';
const TITLE = 'dc:title';
const SINGLE = [
  ['subject', 'dc:subject'],
  ['description', 'dc:description'],
  ['publisher', 'dc:publisher'],
  ['language', 'dc:language'],
  ['created', 'dcterms:created'],
  ['modified', 'dcterms:modified'],
] as const;
const PAGE_COUNT = 'xmpTPg:NPages';

/** What a file says of itself, in few words of our own; what it does not say is left out. */
export function factsOf(entry: Readonly<Record<string, unknown>>): Facts {
  const authors = textsOf(entry[AUTHORS]);
  const single = SINGLE.flatMap(([name, key]) => {
    const text = textsOf(entry[key]).join(', ');
    return text === '' ? [] : [[name, text]];
  });
  const pages = Number(textsOf(entry[PAGE_COUNT])[0]);
  const metadata = {
    ...(authors.length > 0 && { authors }),
    ...Object.fromEntries(single),
    ...(Number.isInteger(pages) && pages > 0 && { page_count: pages }),
  };
  return { title: textsOf(entry[TITLE])[0], metadata };
}

/** A value of Tika is a string, or a list of them. */
function textsOf(value: unknown): string[] {
  const all = [value].flat();
  return all.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []));
}
