import {
  type Factory,
  type ReadContext,
  type Reader,
  type ReadFile,
  refusedError,
} from '../../../core/kit.ts';
import {
  dateOf,
  decodedAs,
  decodedBody,
  fieldNamed,
  fittingCharset,
  headerText,
  type MimePart,
  parseMime,
} from '../../toolkit/mime/index.ts';
import type manifest from './manifest.ts';

const createMhtmlReader: Factory<typeof manifest> = ({ 'reader/html': html }) => ({
  async read({ bytes }, context) {
    context.signal.throwIfAborted();
    const archive = parseMime(bytes.subarray(startOf(bytes)));
    const parts = leavesOf(archive);
    const pages = parts.filter(({ type }) => PAGE.test(type));
    const main = mainOf(archive, pages);
    if (archive.fields.length === 0 || main === undefined)
      throw refusedError('The file cannot be read: it is not a web archive with a page.');
    const page = await readPage(html, main, context);
    const frames = pages.filter((one) => one !== main);
    // A page of frames has no text of its own.
    const shown = page.text.trim() === '' ? await readAll(html, frames, context) : [];
    const text = [page.text, ...shown.map((frame) => frame.text)].filter((one) => one.trim() !== '');
    const leftOut = {
      ...page.leftOut,
      frame: frames.length - shown.length,
      resource: parts.length - pages.length,
    };
    return {
      text: text.join('\n\n'),
      mediaType: 'text/markdown',
      encoding: page.encoding,
      title: page.title ?? titleOf(archive),
      metadata: { ...addedMetadata(archive, main), ...page.metadata },
      leftOut: Object.fromEntries(Object.entries(leftOut).filter(([, count]) => count > 0)),
    };
  },
});

export default createMhtmlReader;

const PAGE = /^(?:text\/html|application\/xhtml\+xml)$/;

/** The offset after a byte order mark and blank lines. */
function startOf(bytes: Uint8Array): number {
  const head = Buffer.from(bytes.subarray(0, 100)).toString('latin1');
  return /^(?:\u00ef\u00bb\u00bf)?\s*/.exec(head)?.[0].length ?? 0;
}

function leavesOf(part: MimePart): MimePart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}

/** The page that was saved: the part that `start` names, the part from the archive's own address, or the first. */
function mainOf(archive: MimePart, pages: readonly MimePart[]): MimePart | undefined {
  const start = archive.parameters.get('start');
  const address = fieldNamed(archive, 'snapshot-content-location') ?? fieldNamed(archive, 'content-location');
  return (
    pages.find((part) => start !== undefined && fieldNamed(part, 'content-id') === start) ??
    pages.find((part) => address !== undefined && fieldNamed(part, 'content-location') === address) ??
    pages[0]
  );
}

async function readAll(html: Reader, parts: readonly MimePart[], context: ReadContext): Promise<ReadFile[]> {
  const read: ReadFile[] = [];
  for (const part of parts) read.push(await readPage(html, part, context));
  return read;
}

/** Reads a page. If its bytes do not fit the encoding of its part, the page says or shows which one it has. */
async function readPage(html: Reader, part: MimePart, context: ReadContext): Promise<ReadFile> {
  const bytes = decodedBody(part);
  const charset = fittingCharset(bytes, part.parameters.get('charset'));
  const file =
    charset === 'utf-7'
      ? { bytes: Buffer.from(decodedAs(bytes, charset) ?? ''), charset: 'utf-8' }
      : { bytes, charset };
  const inner = { ...context, options: {}, report: () => {} };
  return html.read({ ...file, name: undefined, mediaType: part.type }, inner);
}

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

function titleOf(archive: MimePart): string | undefined {
  const subject = headerText(fieldNamed(archive, 'subject') ?? '', decode);
  return subject === '' ? undefined : subject;
}

/** The address and the time of saving, as far as the archive has them. */
function addedMetadata(archive: MimePart, main: MimePart): Record<string, string> {
  const address =
    fieldNamed(archive, 'snapshot-content-location') ?? fieldNamed(main, 'content-location') ?? '';
  const saved = dateOf(fieldNamed(archive, 'date') ?? '');
  return {
    ...(/^https?:/i.test(address) && { url: address }),
    ...(/^\d{4}-/.test(saved) && { saved }),
  };
}
