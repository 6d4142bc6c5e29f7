import { refusedError } from '../../../../core/kit.ts';

/** A storage of a compound file: streams and other storages, by name. */
export interface Storage {
  readonly storages: ReadonlyMap<string, Storage>;
  readonly streams: ReadonlyMap<string, Stream>;
}

export interface Stream {
  readonly size: number;
  /** @throws Error for callers if the file is damaged */
  read(): Uint8Array;
}

/** Signature and offsets of the header, from MS-CFB 2.2. */
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER = {
  bytes: 512,
  sectorShift: 30,
  miniShift: 32,
  directory: 48,
  miniCutoff: 56,
  miniTable: 60,
  moreTables: 68,
  tables: 76,
  tableCount: 109,
};
/** Offsets in an entry of the directory, from MS-CFB 2.6.1. */
const ENTRY = { bytes: 128, nameLength: 64, type: 66, left: 68, right: 72, child: 76, start: 116, size: 120 };
const STORAGE = 1;
const STREAM = 2;
const ROOT = 5;
const END = 0xfffffffa;
const SECTOR_SHIFTS = [9, 12];
const MINI_SHIFT = 6;
const MAX_DEPTH = 100;

export function isCompound(bytes: Uint8Array): boolean {
  return SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
}

/** Opens a compound file (MS-CFB), as Outlook messages are. @throws Error for callers if it is damaged */
export function openCompound(bytes: Uint8Array): Storage {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!isCompound(bytes) || buffer.length < HEADER.bytes) throw damaged();
  return new CompoundFile(buffer).root();
}

const damaged = (): Error =>
  refusedError('The file cannot be read: it is not a message of Outlook, or is damaged.');

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

class CompoundFile {
  readonly #buffer: Buffer;
  readonly #sector: number;
  readonly #table: Uint32Array;
  readonly #miniTable: Uint32Array;
  readonly #entries: readonly Entry[];
  readonly #seen = new Set<number>();
  #mini: Buffer | undefined;

  constructor(buffer: Buffer) {
    const shift = buffer.readUInt16LE(HEADER.sectorShift);
    if (!SECTOR_SHIFTS.includes(shift) || buffer.readUInt16LE(HEADER.miniShift) !== MINI_SHIFT)
      throw damaged();
    this.#buffer = buffer;
    this.#sector = 2 ** shift;
    this.#table = this.#numbersOf(this.#tableSectors());
    this.#miniTable = this.#numbersOf(this.#chain(buffer.readUInt32LE(HEADER.miniTable), this.#table));
    const directory = Buffer.concat(
      this.#sectors(this.#chain(buffer.readUInt32LE(HEADER.directory), this.#table)),
    );
    this.#entries = Array.from({ length: Math.floor(directory.length / ENTRY.bytes) }, (_, index) =>
      entryAt(directory, index * ENTRY.bytes),
    );
  }

  root(): Storage {
    const [root] = this.#entries;
    if (root?.type !== ROOT) throw damaged();
    this.#seen.add(0);
    return this.#storage(root, 0);
  }

  #storage(parent: Entry, depth: number): Storage {
    if (depth > MAX_DEPTH) throw refusedError('The file cannot be read: its parts are nested too deeply.');
    const storages = new Map<string, Storage>();
    const streams = new Map<string, Stream>();
    const waiting = [parent.child];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const entry = this.#entries[index];
      if (entry === undefined) continue;
      if (this.#seen.has(index)) throw damaged();
      this.#seen.add(index);
      waiting.push(entry.right, entry.left);
      if (entry.type === STORAGE) storages.set(entry.name, this.#storage(entry, depth + 1));
      if (entry.type === STREAM) streams.set(entry.name, { size: entry.size, read: () => this.#read(entry) });
    }
    return { storages, streams };
  }

  #read({ start, size }: Entry): Uint8Array {
    if (size > this.#buffer.length) throw damaged();
    const isMini = size < this.#buffer.readUInt32LE(HEADER.miniCutoff);
    const pieces = isMini
      ? this.#miniSectors(start, size)
      : this.#sectors(this.#chain(start, this.#table, size));
    const bytes = Buffer.concat(pieces).subarray(0, size);
    if (bytes.length < size) throw damaged();
    return bytes;
  }

  #miniSectors(start: number, size: number): Buffer[] {
    const { start: root = END } = this.#entries[0] ?? {};
    this.#mini ??= Buffer.concat(this.#sectors(this.#chain(root, this.#table)));
    const mini = this.#mini;
    const length = 2 ** MINI_SHIFT;
    return this.#chain(start, this.#miniTable, size).map((sector) =>
      mini.subarray(sector * length, (sector + 1) * length),
    );
  }

  /** The sectors of a chain. @param size bytes of the stream, if known @throws Error for callers if it never ends */
  #chain(start: number, table: Uint32Array, size = Number.POSITIVE_INFINITY): number[] {
    const smallest = table === this.#miniTable ? 2 ** MINI_SHIFT : this.#sector;
    const chain: number[] = [];
    for (let sector = start; sector < END && chain.length * smallest < size; sector = table[sector] ?? END) {
      chain.push(sector);
      if (chain.length > table.length) throw damaged();
    }
    return chain;
  }

  #sectors(chain: readonly number[]): Buffer[] {
    return chain.map((sector) => {
      const start = (sector + 1) * this.#sector;
      return this.#buffer.subarray(start, start + this.#sector);
    });
  }

  #numbersOf(sectors: readonly number[]): Uint32Array {
    const bytes = Buffer.concat(this.#sectors(sectors));
    return Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) =>
      bytes.readUInt32LE(index * 4),
    );
  }

  /** The sectors that hold the table of chains: 109 in the header, others in a chain of their own. */
  #tableSectors(): number[] {
    const numbers = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => this.#buffer.readUInt32LE(from + index * 4));
    const sectors = numbers(HEADER.tables, HEADER.tableCount);
    const most = this.#buffer.length / this.#sector;
    const perSector = this.#sector / 4 - 1;
    for (let next = this.#buffer.readUInt32LE(HEADER.moreTables); next < END; ) {
      const start = (next + 1) * this.#sector;
      if (sectors.length > most + perSector || start + this.#sector > this.#buffer.length) throw damaged();
      sectors.push(...numbers(start, perSector));
      next = this.#buffer.readUInt32LE(start + perSector * 4);
    }
    return sectors.filter((sector) => sector < END);
  }
}

function entryAt(directory: Buffer, at: number): Entry {
  const number = (offset: number) => directory.readUInt32LE(at + offset);
  const length = Math.min(Math.max(directory.readUInt16LE(at + ENTRY.nameLength) - 2, 0), ENTRY.nameLength);
  return {
    name: directory.toString('utf16le', at, at + length - (length % 2)),
    type: directory[at + ENTRY.type] ?? 0,
    left: number(ENTRY.left),
    right: number(ENTRY.right),
    child: number(ENTRY.child),
    start: number(ENTRY.start),
    size: number(ENTRY.size),
  };
}
