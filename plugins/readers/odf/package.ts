import { refusedError } from '../../../core/kit.ts';
import { readXml } from '../../toolkit/markup/index.ts';
import { unzip } from '../../toolkit/office/index.ts';
import type { Element } from './tree.ts';

/** Maximum bytes of all XML in a file. */
const MAX_BYTES = 128 * 1024 * 1024;
const PARTS = /^(?:META-INF\/manifest\.xml|(?:content|styles|meta)\.xml|.*\/content\.xml)$/;

/** Parts of a file by path. A flat file has one part, `content.xml`. */
export type Parts = ReadonlyMap<string, Uint8Array>;

/** @throws Error for callers if the file is not OpenDocument, is damaged or encrypted, or is too large */
export function openParts(bytes: Uint8Array): Parts {
  if (isFlat(bytes)) {
    if (bytes.length > MAX_BYTES)
      throw refusedError(`The file cannot be read: it has more than ${MAX_BYTES} bytes.`);
    return new Map([['content.xml', bytes]]);
  }
  const parts = unzip(bytes, (path) => PARTS.test(path), MAX_BYTES);
  const listed = parts.get('META-INF/manifest.xml');
  if (listed !== undefined) refuseEncrypted(listed);
  if (!parts.has('content.xml'))
    throw refusedError('The file cannot be read: it is not an OpenDocument file (it has no content.xml).');
  return parts;
}

const HEAD = 1024;

function isFlat(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1').replaceAll('\0', '');
  return /^[^<\w]{0,4}<(?:\?xml|!--|\w)/.test(start);
}

function refuseEncrypted(listed: Uint8Array): void {
  readXml(listed, 'META-INF/manifest.xml', {
    skipsDocumentType: true,
    open(name) {
      if (name === 'encryption-data')
        throw refusedError('The file cannot be read: it is encrypted; save it without a password.');
    },
  });
}

/** What a visitor does with an element: reads its children one by one, reads it as a tree, or skips it. */
export type Visit = 'enter' | 'whole' | 'skip';

interface Visitor {
  /** @param parent the name of the element around it */
  readonly visit: (element: Element, parent: string) => Visit;
  readonly whole: (element: Element, parent: string) => void;
  readonly leave?: (element: Element) => void;
}

/** Elements without text, such as pictures in base64. */
const NO_TEXT: ReadonlySet<string> = new Set([
  'binary-data',
  'event-listeners',
  'script',
  'scripts',
  'forms',
]);
/** Maximum elements and texts of one tree. A larger tree would exceed the memory of a reader's thread. */
const MAX_NODES = 1_000_000;

/** Reads a part as a stream of trees, so that only one of them at a time takes memory. */
export function readTrees(bytes: Uint8Array, path: string, { visit, whole, leave }: Visitor): void {
  const around: Element[] = [];
  const open: Element[] = [];
  let skipped = 0;
  let nodes = 0;
  const count = (): void => {
    if (++nodes > MAX_NODES)
      throw refusedError(`The file cannot be read: a part of ${path} has more than ${MAX_NODES} elements.`);
  };
  readXml(bytes, path, {
    skipsDocumentType: true,
    open(name, attributes) {
      if (skipped > 0 || NO_TEXT.has(name)) skipped++;
      else {
        const element: Element = { name, attributes, children: [] };
        const parent = open.at(-1);
        const what = parent === undefined ? visit(element, around.at(-1)?.name ?? '') : 'whole';
        if (what === 'skip') skipped++;
        else if (what === 'enter') around.push(element);
        else {
          count();
          parent?.children.push(element);
          open.push(element);
        }
      }
    },
    text(text) {
      if (skipped > 0 || open.length === 0) return;
      count();
      open.at(-1)?.children.push(text);
    },
    close() {
      if (skipped > 0) skipped--;
      else if (open.length === 0) {
        const element = around.pop();
        if (element !== undefined) leave?.(element);
      } else {
        const element = open.pop() as Element;
        if (open.length > 0) return;
        nodes = 0;
        whole(element, around.at(-1)?.name ?? '');
      }
    },
  });
}
