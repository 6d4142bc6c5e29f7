import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { startServer, temporaryFolder } from '../../support/server.ts';

const DEPLOY = join(import.meta.dirname, '../../../server/deploy');
const RUNBOOK = readFileSync(join(DEPLOY, '../RUNBOOK.md'), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

const { groups } = parse(readFileSync(join(DEPLOY, 'alerts.yaml'), 'utf8'));
const rules: readonly Alert[] = groups.flatMap(({ rules }: { readonly rules: readonly Alert[] }) => rules);

/** The metrics of a server that takes jobs. */
const { get } = await startServer(t, { bulkRoot: await temporaryFolder(t) });
const text = (await get('/metrics')).bytes.toString();

/** What the metrics of jobs are told apart by. */
const VALUES: Readonly<Record<string, ReadonlySet<string>>> = {
  state: new Set(['ready', 'running', 'done', 'failed', 'cancelled']),
  result: new Set(['done', 'failed']),
  outcome: new Set(['done', 'failed', 'lost', 'returned']),
};

t.test('alerts ask for metrics that the server has, with the labels that these have', async (t) => {
  const asked = rules.flatMap(({ expr }) => [...expr.matchAll(/(chunksmith_\w+)(?:\{([^}]*)\})?/g)]);
  t.ok(asked.length >= rules.length);
  for (const [whole, name = '', labels = ''] of asked) {
    const plain = name.replace(/_bucket$/, '');
    t.match(text, new RegExp(`^# TYPE ${plain} `, 'm'), whole);
    if (labels === '') continue;
    const [, label = '', value = ''] = /^(\w+)="(\w+)"$/.exec(labels) ?? [];
    t.ok(VALUES[label]?.has(value), `${whole}: the label and its value`);
  }
});

t.test('OPERATIONS.md lists every metric with its type and meaning, and no other', async (t) => {
  const metrics = [...text.matchAll(/^# HELP (chunksmith_\w+) (.*)\n# TYPE \1 (\w+)/gm)];
  const expected = metrics.map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`);
  const page = readFileSync(join(DEPLOY, '../OPERATIONS.md'), 'utf8');
  t.same(page.match(/^\| `chunksmith_.*/gm)?.sort(), expected.sort());
});

t.test('each alert is whole, and is in the runbook', async (t) => {
  t.same([...new Set(rules.map(({ alert }) => alert))].length, rules.length);
  for (const { alert, expr, labels, annotations, for: time = '0m' } of rules) {
    t.equal(count(expr, '('), count(expr, ')'), alert);
    t.match(time, /^\d+m$/, alert);
    t.ok(['info', 'warning', 'critical'].includes(labels.severity), alert);
    t.ok(annotations.summary.endsWith('.'), alert);
    t.ok(RUNBOOK.includes(alert), `${alert} is in RUNBOOK.md`);
  }
  const named = [...RUNBOOK.matchAll(/`(Chunksmith\w+)`/g)].map(([, alert]) => alert);
  for (const alert of named)
    t.ok(
      rules.some((rule) => rule.alert === alert),
      `${alert} is in alerts.yaml`,
    );
});

const count = (text: string, part: string): number => text.split(part).length - 1;
