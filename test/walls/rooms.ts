import { type Rule, targetOf } from './sources.ts';

const CORE = [
  'core/contracts',
  'core/engine',
  'core/errors.ts',
  'core/hold.ts',
  'core/hosting',
  'core/kit.ts',
  'core/options.ts',
];
const LOW = [...CORE, 'server/config'];
const CONTRACTS = ['server/store/contract.ts', 'server/store/jobs/contract.ts'];
// The way of a request, from below: each may know all that is under it.
const WORK = [...LOW, ...CONTRACTS, 'server/engine', 'server/engine/run', 'server/engine/validation'];
const HTTP = [...WORK, 'server/http/transport/services.ts'];
const ALL = [
  ...HTTP,
  ...['app.ts', 'cli', 'container.ts', 'find-corpora.ts', 'http', 'plugins', 'store', 'testing'].map(
    (room) => `server/${room}`,
  ),
];

/**
 * Which rooms a room may import, beside itself. A room is a folder or a file at the top of `core` or
 * `server`; a row for a longer path goes before the row of its folder. Arrows go one way: see
 * core/README.md and server/README.md.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'core/errors.ts': [],
  'core/options.ts': [],
  'core/fields.ts': [],
  'core/hold.ts': [],
  'core/contracts': ['core/errors.ts', 'core/options.ts', 'core/engine/kit.ts'],
  'core/engine/kit.ts': ['core/engine', 'core/errors.ts', 'core/hold.ts'],
  'core/engine': ['core/contracts', 'core/errors.ts'],
  'core/hosting': ['core/contracts', 'core/errors.ts'],
  'core/kit.ts': ['core/contracts', 'core/engine/kit.ts', 'core/fields.ts', 'core/options.ts'],
  'server/config': CORE,
  // These run elsewhere, also in browsers, and know nothing of the server but its answers.
  'server/clients': [],
  'server/store/contract.ts': LOW,
  'server/store/jobs/contract.ts': CORE,
  'server/store': [...LOW, ...CONTRACTS],
  'server/plugins': [...LOW, 'server/engine/validation'],
  'server/engine/validation': CORE,
  'server/engine': [...LOW, 'server/engine/validation'],
  'server/engine/run': [...LOW, 'server/engine', 'server/worker.ts'],
  // All of corpora may be taken away: others know its one face, and find that where it is there.
  'server/find-corpora.ts': ['server/config', 'server/corpora/index.ts'],
  'server/corpora/index.ts': ['server/corpora', 'server/corpora/command', 'server/corpora/open-corpora.ts'],
  'server/corpora/open-corpora.ts': [...WORK, 'server/container.ts', 'server/corpora', 'server/corpora/http'],
  'server/corpora/http': [...HTTP, 'server/corpora', 'server/http'],
  'server/corpora/command': [...ALL, 'server/corpora', 'server/clients'],
  'server/corpora': WORK,
  'server/http': HTTP,
  // The one place where Fastify is handed what the container holds.
  'server/http/transport/services.ts': ['server/container.ts'],
  // What plugins are tested with, which runs them as the service does.
  'server/testing': [...WORK, 'server/container.ts', 'server/plugins'],
  // The entries of the process and of its threads, and what puts the service together.
  'server/main.ts': ALL,
  'server/worker.ts': ALL,
  'server/reader-thread.ts': ALL,
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
