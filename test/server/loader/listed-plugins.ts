import type { Client } from '../../support/server.ts';

/** A plugin as `GET /v1/plugins` shows it. */
export interface ListedPlugin {
  kind: string;
  name: string;
  summary: string;
  available: boolean;
  missing: string[];
  version?: string;
  engine?: string;
  origin: string;
  state: string;
  reason?: string;
  warning?: string;
}

export const listed = async (client: Client) => (await client.get('/v1/plugins')).json<ListedPlugin[]>();

export const idsOf = (plugins: ListedPlugin[]) => plugins.map(({ kind, name }) => `${kind}/${name}`);

export const find = async (client: Client, name: string) =>
  (await listed(client)).find((one) => one.name === name) as ListedPlugin;
