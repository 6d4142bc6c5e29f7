import type { SharedBuffers } from '../../../../core/contracts/collaborators.ts';
import { readTable } from './read-table.ts';
import { type Table, viewTable } from './table.ts';
import { readUnknownId } from './unknown-token.ts';

/** A table that this thread uses until it is released. */
export interface TableLease {
  readonly table: Table;
  /** To be called once. */
  release(): void;
}

export interface TableRegistry {
  /** Gives the table of a model. The first thread that needs it reads it from the file. */
  lease(name: string, weightsPath: string, tokenizerPath: string): Promise<TableLease>;
}

/**
 * The tables that one thread uses. Shared buffers know which threads use a table, not how often, so a model
 * that is open under two names gives its table back after the last lease.
 */
export function createTableRegistry(shared: SharedBuffers): TableRegistry {
  const leases = new Map<string, number>();

  function release(key: string): void {
    const left = (leases.get(key) as number) - 1;
    leases.set(key, left);
    if (left > 0) return;
    leases.delete(key);
    shared.release(key);
  }

  return {
    async lease(name, weightsPath, tokenizerPath) {
      const key = `static/${name}`;
      leases.set(key, (leases.get(key) ?? 0) + 1);
      try {
        const memory = await shared.get(key, async () => {
          const table = await readTable(weightsPath, await readUnknownId(tokenizerPath));
          return table.memory;
        });
        return { table: viewTable(memory), release: () => release(key) };
      } catch (error) {
        release(key);
        throw error;
      }
    },
  };
}
