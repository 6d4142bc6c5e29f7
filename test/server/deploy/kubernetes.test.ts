import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseAllDocuments } from 'yaml';
import { describeOptions, OPTIONS } from '../../../server/config/options.ts';
import { readConnections } from '../../../server/corpora/storage/settings.ts';
import { JOB, openJobs } from '../../support/job-stores.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** The manifest for Kubernetes fits the server: what it names is there, and means what it is taken for. */

const FILE = join(import.meta.dirname, '../../../server/deploy/kubernetes.yaml');
const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'];

interface Named {
  readonly name: string;
  readonly value: string;
}

interface Mount {
  readonly name: string;
  readonly mountPath: string;
}

const documents = parseAllDocuments(readFileSync(FILE, 'utf8'));
const objects = documents.map((document) => document.toJS());

function find(kind: string, name = 'chunksmith') {
  return objects.find((object) => object.kind === kind && object.metadata.name === name);
}

const variable = (env: readonly Named[], wanted: string) => env.find(({ name }) => name === wanted)?.value;

t.test('it can be read, and each of its objects is named once', async (t) => {
  for (const { errors } of documents) t.same(errors, []);
  const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  t.same(names, [...new Set(names)]);
});

for (const [name, role] of [
  ['chunksmith', 'api'],
  ['chunksmith-worker', 'worker'],
] as const) {
  t.test(`the Deployment ${name} has what its server needs`, async (t) => {
    const { selector, template } = find('Deployment', name).spec;
    t.same(selector.matchLabels, template.metadata.labels);
    const { spec } = template;
    const [container] = spec.containers;
    t.equal(variable(container.env, 'ROLE'), role);
    checkVariables(t, container);
    const grace = Number(variable(container.env, 'SHUTDOWN_GRACE'));
    t.ok(spec.terminationGracePeriodSeconds > grace + 5, 'what is under way is finished or given back');
    t.equal(spec.securityContext.runAsNonRoot, true);
    t.equal(container.securityContext.readOnlyRootFilesystem, true);
    const mounts: readonly Mount[] = container.volumeMounts;
    for (const path of ['/app/data', '/etc/chunksmith'])
      t.ok(mounts.some(({ mountPath }) => mountPath === path));
    t.equal(variable(container.env, 'BULK_CONNECTIONS'), '/etc/chunksmith/buckets.json');
    const namesOf = (all: readonly Pick<Named, 'name'>[]) => all.map(({ name }) => name);
    t.same(namesOf(mounts), namesOf(spec.volumes));
    const budget = find('PodDisruptionBudget', name).spec;
    t.same(budget.selector.matchLabels, template.metadata.labels);
  });

  t.test(`the probes of ${name} are answered`, async (t) => {
    const bulkRoot = await temporaryFolder(t);
    const { get } = await startServer(t, { role, bulkRoot });
    const [container] = find('Deployment', name).spec.template.spec.containers;
    t.equal(container.ports[0].containerPort, OPTIONS.port.default);
    for (const probe of PROBES.filter((probe) => probe in container)) {
      const { path, port } = container[probe].httpGet;
      t.equal(port, container.ports[0].name, probe);
      t.equal((await get(path)).status, 200, path);
    }
  });
}

/** All variables are ones of the server, or are named in its connections. */
function checkVariables(t: Test, { env, envFrom }: { env: readonly Named[]; envFrom: readonly object[] }) {
  const buckets = find('ConfigMap').data['buckets.json'] as string;
  const known = new Set(describeOptions().map((option) => option.variable));
  const secrets = Object.keys(find('Secret').stringData);
  for (const name of [...env.map(({ name }) => name), ...secrets]) {
    t.ok(known.has(name) || buckets.includes(`{ "env": "${name}" }`), `${name} is read`);
  }
  t.same(envFrom, [{ secretRef: { name: find('Secret').metadata.name } }]);
}

t.test('its buckets are connections', async (t) => {
  const { data } = find('ConfigMap');
  const folder = await temporaryFolder(t, data);
  const connections = readConnections(join(folder, 'buckets.json'), find('Secret').stringData);
  t.same([...connections.keys()], ['corpus']);
});

t.test('requests reach the API, and both are scaled by what they do', async (t) => {
  t.same(find('Service').spec.selector, find('Deployment').spec.template.metadata.labels);
  t.equal(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name, 'chunksmith');
  const { scaleTargetRef, triggers } = find('ScaledObject', 'chunksmith-worker').spec;
  t.equal(scaleTargetRef.name, 'chunksmith-worker');
  const [{ type, metadata }] = triggers;
  t.equal(type, 'postgresql');
  t.ok(metadata.connectionFromEnv in find('Secret').stringData);
});

t.test('workers are kept as long as shards are ready or run', async (t) => {
  const { query } = find('ScaledObject', 'chunksmith-worker').spec.triggers[0].metadata;
  const jobs = await openJobs(t, { dataDir: await temporaryFolder(t), databaseUrl: '' });
  const counted = async () =>
    Number(Object.values((await jobs.sql<Record<string, number>>(query))[0] ?? {})[0]);
  t.equal(await counted(), 0);
  await jobs.store.create(JOB);
  t.equal(await counted(), 1, 'ready');
  const claim = await jobs.next();
  t.equal(await counted(), 1, 'running');
  await jobs.store.cancel(claim.jobId);
  t.equal(await counted(), 0, 'nothing is open any more');
});
