import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseAllDocuments } from 'yaml';
import { describeOptions } from '../../../server/config/help.ts';
import { OPTIONS } from '../../../server/config/options.ts';
import { startServer } from '../../support/server.ts';

const FILE = join(import.meta.dirname, '../../../server/deploy/kubernetes.yaml');
const PROBES = ['startupProbe', 'livenessProbe', 'readinessProbe'];

t.test('the manifest for Kubernetes fits the server', async (t) => {
  const documents = parseAllDocuments(readFileSync(FILE, 'utf8'));
  const objects = documents.map((document) => {
    t.same(document.errors, []);
    return document.toJS();
  });
  const find = (kind: string) => objects.find((object) => object.kind === kind);
  const { spec } = find('Deployment').spec.template;
  const [container] = spec.containers;
  const { get } = await startServer(t);

  t.equal(container.ports[0].containerPort, OPTIONS.port.default);
  for (const probe of PROBES) {
    const { path, port } = container[probe].httpGet;
    t.equal(port, container.ports[0].name, probe);
    t.equal((await get(path)).status, 200, path);
  }
  const variables = new Set(describeOptions().map(({ variable }) => variable));
  const given = [
    ...container.env.map(({ name }: { name: string }) => name),
    ...Object.keys(find('Secret').stringData),
  ];
  for (const name of given) t.ok(variables.has(name), `${name} is a variable of the server`);
  const grace = container.env.find(({ name }: { name: string }) => name === 'SHUTDOWN_GRACE').value;
  t.ok(spec.terminationGracePeriodSeconds > Number(grace), 'requests in flight are answered');
  t.equal(spec.securityContext.runAsNonRoot, true);
  t.equal(container.securityContext.readOnlyRootFilesystem, true);
  t.ok(container.volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === '/app/data'));
  t.equal(find('HorizontalPodAutoscaler').spec.scaleTargetRef.name, find('Deployment').metadata.name);
  t.same(find('Service').spec.selector, spec.labels ?? find('Deployment').spec.template.metadata.labels);
});
