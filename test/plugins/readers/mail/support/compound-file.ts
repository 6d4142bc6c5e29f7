/** Writes compound files (MS-CFB), as Outlook's messages are, of streams that are all shorter than 4096 bytes. */

export interface Folder {
  readonly [name: string]: Uint8Array | Folder;
}

const SECTOR = 512;
const MINI = 64;
const END = 0xfffffffe;
const FREE = 0xffffffff;

interface Entry {
  readonly name: string;
  readonly type: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

export function compoundFile(root: Folder): Buffer {
  const entries: Entry[] = [];
  const minis: Buffer[] = [];
  const chains: number[] = [];
  const write = (bytes: Uint8Array): number => {
    const start = chains.length;
    const count = Math.ceil(bytes.length / MINI);
    for (let index = 0; index < count; index++) chains.push(index === count - 1 ? END : start + index + 1);
    minis.push(Buffer.concat([bytes, Buffer.alloc(count * MINI - bytes.length)]));
    return count === 0 ? END : start;
  };
  const add = (name: string, value: Uint8Array | Folder, type: number): number => {
    const entry: Entry = { name, type, right: FREE, child: FREE, start: END, size: 0 };
    const index = entries.push(entry) - 1;
    if (value instanceof Uint8Array) {
      entry.start = write(value);
      entry.size = value.length;
      return index;
    }
    // Members are a list by their right siblings, which readers take like a balanced tree.
    let last: Entry | undefined;
    for (const [member, inner] of Object.entries(value)) {
      const at = add(member, inner, inner instanceof Uint8Array ? 2 : 1);
      if (last === undefined) entry.child = at;
      else last.right = at;
      last = entries[at] as Entry;
    }
    return index;
  };
  add('Root Entry', root, 5);
  return layOut(entries, Buffer.concat(minis), chains);
}

function layOut(entries: readonly Entry[], mini: Buffer, chains: readonly number[]): Buffer {
  const directory = padded(Buffer.concat(entries.map(entryBytes)));
  const miniTable = padded(numbers(chains));
  const stream = padded(mini);
  const counts = [directory, miniTable, stream].map(({ length }) => length / SECTOR);
  const [directorySectors = 0, tableSectors = 0, streamSectors = 0] = counts;
  const tables = Math.ceil((directorySectors + tableSectors + streamSectors + 8) / (SECTOR / 4));
  const table: number[] = new Array<number>(tables).fill(0xfffffffd);
  const starts = counts.map((count) => {
    const start = table.length;
    for (let index = 0; index < count; index++) table.push(index === count - 1 ? END : start + index + 1);
    return count === 0 ? END : start;
  });
  const [directoryStart = END, miniTableStart = END, streamStart = END] = starts;
  directory.writeUInt32LE(streamStart, 116);
  directory.writeUInt32LE(mini.length, 120);
  const header = Buffer.alloc(SECTOR, 0xff);
  header.fill(0, 0, 76);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(tables, 44);
  header.writeUInt32LE(directoryStart, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(miniTableStart, 60);
  header.writeUInt32LE(tableSectors, 64);
  header.writeUInt32LE(END, 68);
  for (let index = 0; index < tables; index++) header.writeUInt32LE(index, 76 + index * 4);
  const fat = Buffer.alloc(tables * SECTOR, 0xff);
  numbers(table).copy(fat);
  return Buffer.concat([header, fat, directory, miniTable, stream]);
}

function entryBytes({ name, type, right, child, start, size }: Entry): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE((name.length + 1) * 2, 64);
  bytes[66] = type;
  for (const [offset, value] of [
    [68, FREE],
    [72, right],
    [76, child],
    [116, start],
    [120, size],
  ] as const)
    bytes.writeUInt32LE(value, offset);
  return bytes;
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([
    bytes,
    Buffer.alloc((SECTOR - (bytes.length % SECTOR)) % SECTOR, bytes.length === 0 ? 0 : 0xff),
  ]);
