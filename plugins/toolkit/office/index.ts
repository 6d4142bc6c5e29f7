import { refusedError } from '../../../core/errors.ts';
import { readXml } from '../markup/xml.ts';
import { unzip } from './zip.ts';

export { EquationWriter } from './equation.ts';
export { type MathElement, writeMathml } from './mathml.ts';
export { type SheetRow, SheetTables } from './sheet-tables.ts';
export { decodeEscapes, isFileName } from './written.ts';
export { unzip };

export interface Relationship {
  /** Last segment of the URI that names the type: `slideLayout`. */
  readonly type: string;
  readonly target: string;
  readonly isExternal: boolean;
}

/** A file of Office Open XML (ECMA-376, part 2). */
export interface OfficeFile {
  readonly main: string;
  readonly paths: readonly string[];
  /** @throws Error for callers if the part does not exist */
  readonly part: (path: string) => Uint8Array;
  readonly has: (path: string) => boolean;
  readonly relationships: (path: string) => ReadonlyMap<string, Relationship>;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Opens a file of Office Open XML, and unpacks its XML parts.
 *
 * @param most maximum bytes of all unpacked parts together
 * @param wants whether to unpack an XML part
 * @throws Error for callers if the file has another format, is damaged, or has more bytes than `most`
 */
export function openOfficeFile(
  bytes: Uint8Array,
  most: number,
  wants: (path: string) => boolean = () => true,
): OfficeFile {
  const files = unzip(bytes, (path) => /\.(xml|rels)$/i.test(path) && wants(path), most);
  const relationships = (path: string) => relationshipsOf(files, path);
  const ofRoot = [...relationships('').values()];
  const main = ofRoot.find(({ type }) => type === 'officeDocument')?.target;
  const core = ofRoot.find(({ type }) => type === 'core-properties')?.target ?? '';
  const part = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (bytes === undefined)
      throw refusedError(`The file cannot be read: it is damaged (it has no ${path}).`);
    return bytes;
  };
  if (main === undefined) throw refusedError('The file cannot be read: it is not an Office file.');
  return {
    main,
    paths: [...files.keys()],
    part,
    relationships,
    has: (path) => files.has(path),
    ...propertiesOf(files.get(core), core),
  };
}

function relationshipsOf(files: ReadonlyMap<string, Uint8Array>, path: string): Map<string, Relationship> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const partPath = `${folder}_rels/${path.slice(folder.length)}.rels`;
  const relationships = new Map<string, Relationship>();
  const bytes = files.get(partPath);
  if (bytes === undefined) return relationships;
  readXml(bytes, partPath, {
    open(name, { Id: id, Type: type = '', Target: target, TargetMode: mode }) {
      if (name !== 'Relationship' || id === undefined || target === undefined) return;
      const isExternal = mode === 'External';
      const inside = withoutSteps(target.startsWith('/') ? target : folder + target);
      const kind = type.slice(type.lastIndexOf('/') + 1);
      relationships.set(id, { type: kind, target: isExternal ? target : inside, isExternal });
    },
  });
  return relationships;
}

function withoutSteps(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** Names in metadata of the file's core properties (ECMA-376, part 2, section 11). */
const PROPERTIES: Readonly<Record<string, string>> = {
  creator: 'authors',
  subject: 'subject',
  description: 'description',
  keywords: 'keywords',
  language: 'language',
  created: 'created',
  modified: 'modified',
};

function propertiesOf(bytes: Uint8Array | undefined, path: string): Pick<OfficeFile, 'title' | 'metadata'> {
  const texts = new Map<string, string>();
  let current = '';
  if (bytes !== undefined)
    readXml(bytes, path, {
      open(name) {
        current = name;
      },
      text(text) {
        texts.set(current, (texts.get(current) ?? '') + text);
      },
    });
  const metadata: Record<string, unknown> = {};
  for (const [property, name] of Object.entries(PROPERTIES)) {
    const text = texts.get(property)?.trim().toWellFormed();
    if (text) metadata[name] = name === 'authors' ? text.split(';').map((author) => author.trim()) : text;
  }
  return { title: texts.get('title')?.trim().toWellFormed() || undefined, metadata };
}
