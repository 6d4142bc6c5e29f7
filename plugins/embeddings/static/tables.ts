import type { SharedBuffers } from '../../../core/contracts.ts';
import { type Table, viewTable } from './table.ts';
import { readTable } from './table-file.ts';
import { readUnknownId } from './unknown-token.ts';

/** A table that this thread uses until it is closed. */
export interface OpenTable {
  readonly table: Table;
  close(): void;
}

/** The tables of one thread. Models that are open under two names use one table. */
export function createTables(shared: SharedBuffers) {
  const users = new Map<string, number>();

  function leave(key: string): void {
    const left = (users.get(key) ?? 1) - 1;
    if (left > 0) users.set(key, left);
    else {
      users.delete(key);
      shared.release(key);
    }
  }

  return {
    /** Gives the table of a model, which the first thread that needs it reads from the file. */
    async open(name: string, weightsPath: string, tokenizerPath: string): Promise<OpenTable> {
      const key = `static/${name}`;
      users.set(key, (users.get(key) ?? 0) + 1);
      try {
        const memory = await shared.get(key, async () => {
          const table = await readTable(weightsPath, await readUnknownId(tokenizerPath));
          return table.memory;
        });
        return { table: viewTable(memory), close: () => leave(key) };
      } catch (error) {
        leave(key);
        throw error;
      }
    },
  };
}
