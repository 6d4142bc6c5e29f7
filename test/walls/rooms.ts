import { type Rule, targetOf } from './sources.ts';

/**
 * The rooms of `core`, `server` and the plugins' toolkit by floors, from below: files, and folders without the rooms in them. A room may
 * import those on the floors below its own; see core/README.md and server/README.md.
 */
const FLOORS = [
  'core/sentence-marks.ts',
  // The clients run elsewhere, also in browsers, and know nothing of the server but its answers.
  'core/errors.ts core/fields.ts core/hold.ts core/options.ts server/clients',
  'core/contracts',
  'core/engine',
  'core/kit.ts',
  'core/hosting plugins/toolkit',
  'server/config server/engine/validation server/store/jobs/contract.ts',
  'server/store/contract.ts',
  'server/engine server/plugins server/store',
  'server/engine/run server/http/transport/services.ts server/plugin-host.ts',
  'server/service-container.ts',
  'server/corpora server/config/find-corpora.ts server/config/find-range-work.ts server/http server/testing',
  'server/container.ts server/corpora/http',
  'server/app.ts server/reader-thread.ts server/worker.ts',
  'server/cli',
  'server/cli/main.ts server/corpora/command',
  'server/cli/bin.ts server/corpora/index.ts server/corpora/thread.ts server/main.ts',
].map((floor) => floor.split(' '));

/** What a room may import from a higher floor. */
const UPWARD: Readonly<Record<string, string>> = {
  'server/config/find-corpora.ts': 'server/corpora/index.ts',
  'server/config/find-range-work.ts': 'server/corpora/thread.ts',
  'server/http/transport/services.ts': 'server/container.ts',
};

/** Rooms that few of those above may import. */
const SEALED: Readonly<Record<string, readonly string[]>> = {
  'server/clients': ['server/cli', 'server/corpora/command'],
  'server/plugins': [
    'server/app.ts',
    'server/cli',
    'server/container.ts',
    'server/plugin-host.ts',
    'server/service-container.ts',
    'server/testing',
  ],
  'server/store': ['server/cli', 'server/container.ts', 'server/corpora/command'],
};

/** A folder that can be removed: what is outside looks for its entries, and imports nothing else of it. */
const REMOVABLE = 'server/corpora/';

const ROOMS = FLOORS.flat().sort((a, b) => b.length - a.length);

/** The room that a file belongs to. */
function roomOf(file: string): string | undefined {
  return ROOMS.find((room) => file === room || file.startsWith(`${room}/`));
}

function floorOf(room: string): number {
  return FLOORS.findIndex((floor) => floor.includes(room));
}

/** No room of `core`, `server` or the toolkit imports one that is not below it. */
export const arrowRule: Rule = (file, one) => {
  if (!/^(core|server|plugins\/toolkit)\//.test(file)) return undefined;
  const target = targetOf(file, one);
  if (target === undefined) return undefined;
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === undefined) return 'this room is on no floor';
  if (to === undefined) return 'core, the toolkit and server import only rooms that are on a floor';
  if (from === to || UPWARD[from] === to) return undefined;
  const isBelow = floorOf(to) < floorOf(from) && (SEALED[to]?.includes(from) ?? true);
  const isWithin = !target.startsWith(REMOVABLE) || file.startsWith(REMOVABLE);
  return isBelow && isWithin ? undefined : `${from} may not import ${to}`;
};
