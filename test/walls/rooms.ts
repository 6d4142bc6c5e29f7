import { type Rule, targetOf } from './sources.ts';

const OF_CORE = [
  'contracts',
  'engine',
  'engine/kit.ts',
  'errors.ts',
  'hold.ts',
  'hosting',
  'kit.ts',
  'options.ts',
];
const CORE = [...OF_CORE.map((room) => `core/${room}`), 'server/module-ending.ts'];
// The way of a request, from below: each may know all that is under it.
const SERVICE = [...CORE, 'server/wire', 'server/validation', 'server/config', 'server/store/contract.ts'];
const RUN = [...SERVICE, 'server/service', 'server/log.ts'];
const CORPUS = [...RUN, 'server/run', 'server/retry.ts'];
const JOBS = [...CORPUS, 'server/corpus', 'server/store/jobs/contract.ts'];
const HTTP = [...JOBS, 'server/jobs', 'server/version.ts', 'server/http/services.ts'];
const STORED = ['server/store/contract.ts', 'server/store/jobs/contract.ts'];
// What stands beside it is known to what puts the service together.
const BESIDE = [
  'app.ts',
  'cli',
  'container.ts',
  'hosted',
  'http',
  'hub',
  'loader',
  'make-folder.ts',
  'store',
  'testing',
];
const ALL = [...HTTP, ...BESIDE.map((room) => `server/${room}`)];

/**
 * Which rooms a room may import, beside itself. A room is a folder or a file at the top of `core` or
 * `server`; a row for a longer path goes before the row of its folder. Arrows go one way: see
 * core/README.md and server/README.md.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'core/errors.ts': [],
  'core/options.ts': [],
  'core/hold.ts': [],
  'core/contracts': ['core/errors.ts', 'core/options.ts', 'core/engine/kit.ts'],
  'core/engine/kit.ts': ['core/engine', 'core/errors.ts'],
  'core/engine': ['core/contracts', 'core/errors.ts'],
  'core/hosting': ['core/contracts', 'core/errors.ts'],
  'core/kit.ts': ['core/contracts', 'core/engine/kit.ts'],
  'server/wire': CORE,
  'server/validation': CORE,
  'server/service': SERVICE,
  'server/run': [...RUN, 'server/run/worker.ts'],
  'server/corpus': CORPUS,
  'server/jobs': JOBS,
  'server/http': HTTP,
  // The one place where Fastify is handed what the container holds.
  'server/http/services.ts': ['server/container.ts'],
  // These run elsewhere, also in browsers, and know nothing of the server but its answers.
  'server/playground': [],
  'server/module-ending.ts': [],
  'server/clients': [],
  'server/retry.ts': CORE,
  'server/make-folder.ts': [],
  'server/hosted': [...CORE, 'server/retry.ts'],
  'server/hub': [...CORE, 'server/retry.ts'],
  'server/loader': [...CORE, 'server/validation'],
  'server/store/contract.ts': [...CORE, 'server/config'],
  'server/store/jobs/contract.ts': CORE,
  'server/store': [...CORE, ...STORED, 'server/config', 'server/make-folder.ts', 'server/retry.ts'],
  'server/config': [...CORE, 'server/validation', 'server/hub'],
  'server/log.ts': CORE,
  'server/version.ts': [],
  // What plugins are tested with, which runs them as the service does.
  'server/testing': [...RUN, 'server/container.ts', 'server/hosted', 'server/loader'],
  // The entries of the process and of its threads, and what puts the service together.
  'server/main.ts': ALL,
  'server/run/worker.ts': ALL,
  'server/container.ts': ALL,
  'server/app.ts': ALL,
  // The server is one of the commands.
  'server/cli/main.ts': [...ALL, 'server/main.ts'],
  'server/cli/bin.ts': ['server/cli/main.ts', 'server/cli', 'core/hold.ts'],
  // Commands ask a service as any caller does.
  'server/cli': [...ALL, 'server/clients'],
};

const ROOMS = Object.keys(ARROWS).sort((a, b) => b.length - a.length);

/** The room that a file of `core` or `server` belongs to. */
function roomOf(file: string): string | undefined {
  return ROOMS.find((room) => file === room || file.startsWith(`${room}/`));
}

/** No room of `core` or `server` imports one that stands above it. */
export const arrowRule: Rule = (file, one) => {
  if (!/^(core|server)\//.test(file)) return undefined;
  const target = targetOf(file, one);
  if (target === undefined) return undefined;
  const [from, to] = [roomOf(file), roomOf(target)];
  if (from === undefined) return 'this room has no row in the table of arrows';
  if (to === undefined) return 'core and server import only rooms in the table of arrows';
  return from === to || ARROWS[from]?.includes(to) ? undefined : `${from} may not know ${to}`;
};
