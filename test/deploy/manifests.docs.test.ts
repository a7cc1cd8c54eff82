/** What is in `deploy/`: the schemas that its readers have, the hardening, and names that belong together. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { variables } from '../../src/app/config/variables.ts';
import { stopLimits } from '../../src/http/connections.ts';
import { linesOfSection, sectionOf } from '../support/docs.ts';
import { temporaryDirectory } from '../support/process.ts';
import { hasCaddy, hasKubectl } from '../support/servers.ts';
import {
  caddyfile,
  compose,
  image,
  kustomization,
  load,
  manifests,
  podVariables,
  readText,
  root,
} from './manifests.ts';

/** Milliseconds that a stopping gateway takes at most, in production. */
const stopMs = 5_000 + stopLimits.drainMs + 4_000;
const { Deployment: deployment, Job: job, Service: service } = manifests;
const pod = deployment.spec.template.spec;
const [gateway] = pod.containers;

const isNumericUser = (user: string | undefined) => /^[1-9]\d*:[1-9]\d*$/.test(user ?? '');

describe('compose.yaml', () => {
  const { $schema: _, ...schema } = JSON.parse(readText('test/deploy/node_modules/dclint/schemas/compose.schema.json'));
  const { default: Ajv } = load('ajv');
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema);

  test('is valid, and a misspelt or wrong entry would be found', () => {
    isValid(compose);
    expect(isValid.errors).toBe(null);
    expect(isValid({ ...compose, services: { gateway: { read_onyl: true } } })).toBe(false);
    expect(isValid({ ...compose, services: { gateway: { read_only: [] } } })).toBe(false);
  });

  test.each(Object.entries(compose.services))('%s has no root, no capabilities, and nothing to write', (_name, own) => {
    expect(own).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(own).not.toHaveProperty('cap_add');
    expect(isNumericUser(own.user), own.user).toBe(true);
  });

  test('has two equal gateways, which Caddy names', () => {
    const { 'gateway-1': first, 'gateway-2': second } = compose.services;
    expect(second).toEqual(first);
    expect(caddyfile).toContain('reverse_proxy gateway-1:4000 gateway-2:4000 {');
    expect(first?.user).toMatch(new RegExp(`^${image.user}:`));
    expect(Number.parseInt(first?.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThanOrEqual(stopMs);
  });

  test('whatever a service names is there', () => {
    for (const { networks, secrets = [], depends_on = {} } of Object.values(compose.services)) {
      expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining([...networks]));
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)));
    }
    const written = linesOfSection('Compose', 'openssl').concat(linesOfSection('Compose', 'printf')).join('\n');
    for (const { file } of Object.values(compose.secrets)) expect(written).toContain(`> ${file}`);
  });

  test('Postgres and Redis are in a network that leads nowhere, and Caddy in that of the trusted address', () => {
    expect(compose.networks.back).toEqual({ internal: true });
    for (const name of ['postgres', 'redis']) expect(compose.services[name]?.networks).toEqual(['back']);
    expect(compose.services.caddy?.networks).toEqual(['front']);
    const [{ subnet }] = compose.networks.front.ipam.config;
    expect(compose.services['gateway-1']?.environment?.TRUST_PROXY).toBe(subnet);
  });

  test.skipIf(!hasCaddy)('Caddy reads its file, with the host name of SITE', () => {
    const [variable = ''] = Object.keys(compose.services.caddy?.environment ?? {});
    const env = { PATH: process.env.PATH, [variable]: 'gateway.example' };
    const read = String(execFileSync('caddy', ['adapt', '--config', join(root, 'deploy/Caddyfile')], { env }));
    expect(JSON.parse(read).apps.http.servers.srv0).toMatchObject({
      listen: [':443'],
      routes: [{ match: [{ host: ['gateway.example'] }] }],
    });
  });

  test('what its commands write is not in the repository', () => {
    const ignored = execFileSync('git', ['check-ignore', 'deploy/.env', 'deploy/secrets/secret'], { cwd: root });
    expect(String(ignored).trim().split('\n')).toHaveLength(2);
  });
});

describe('the manifests of Kubernetes', () => {
  /** What TypeScript says of manifests, as literals of the types of the API: these know every field. */
  async function problemsOf(all: readonly { apiVersion: string; kind: string }[]): Promise<string> {
    const directory = await temporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const texts = all.map(
      (manifest, at) =>
        `export const a${at}: import('kubernetes-models/${manifest.apiVersion}').I${manifest.kind} = ${JSON.stringify(manifest, null, 1)};`,
    );
    const models = join(root, 'test/deploy/node_modules/kubernetes-models');
    const compilerOptions = {
      ...{ module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] },
      paths: { 'kubernetes-models/*': [`${models}/*/index.d.ts`] },
    };
    writeFileSync(join(directory.path, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(directory.path, 'manifests.ts'), texts.join('\n'));
    writeFileSync(join(directory.path, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    return spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', directory.path], { encoding: 'utf8' }).stdout;
  }

  test('have the types of its API, and a misspelt or wrong field would be found', async () => {
    expect(Object.keys(manifests)).toHaveLength(6);
    expect(await problemsOf(Object.values(manifests))).toBe('');
    const wrong = await problemsOf([
      { ...deployment, spec: { ...deployment.spec, replicas: 'two' } },
      { ...deployment, spec: { ...deployment.spec, replicass: 2 } },
    ]);
    expect(wrong).toMatch(/'string' is not assignable to type 'number'/);
    expect(wrong).toMatch(/replicass.* does not exist in type 'IDeploymentSpec'/);
  });

  test.skipIf(!hasKubectl)('are what kustomize makes of the folder', () => {
    const made = String(execFileSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes')]));
    for (const kind of [...Object.keys(manifests), 'ConfigMap']) expect(made).toContain(`kind: ${kind}\n`);
    const { newName, newTag } = kustomization.images[0];
    expect(made.match(new RegExp(`image: ${newName}:${newTag}`, 'g'))).toHaveLength(2);
    expect(made).not.toContain('image: postern\n');
    expect(made.match(/^ {12}name: postern-\w{10}$/gm)).toHaveLength(2);
  });

  test.each([
    ['gateways', deployment],
    ['the migration', job],
  ])('%s fulfil the restricted standard of pods, with files that they cannot write', (_name, { spec }) => {
    const { automountServiceAccountToken, securityContext, containers, volumes } = spec.template.spec;
    expect(automountServiceAccountToken).toBe(false);
    const user = Number(image.user);
    expect(securityContext).toEqual({
      ...{ runAsNonRoot: true, runAsUser: user, runAsGroup: user },
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(volumes).toEqual([{ name: 'secrets', secret: { secretName: 'postern' } }]);
    for (const container of containers) {
      expect(container.securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources.limits.memory).toBeDefined();
      expect(container.volumeMounts).toEqual([{ name: 'secrets', mountPath: '/run/secrets/postern', readOnly: true }]);
      expect(container.envFrom).toEqual([{ configMapRef: { name: kustomization.configMapGenerator[0].name } }]);
    }
  });

  test('labels, ports and names belong together', () => {
    const { labels } = deployment.spec.template.metadata;
    for (const selector of [
      deployment.spec.selector.matchLabels,
      manifests.PodDisruptionBudget.spec.selector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
      service.spec.selector,
    ])
      expect(selector).toEqual(labels);
    expect(job.spec.template.metadata.labels).not.toEqual(labels);
    const [port] = service.spec.ports;
    const names = gateway.ports.map(({ name }: { name: string }) => name);
    expect(names).toContain(port.targetPort);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(names).toContain(gateway[probe].httpGet.port);
    const [path] = manifests.Ingress.spec.rules[0].http.paths;
    expect(path.backend.service).toEqual({ name: service.metadata.name, port: { name: port.name } });
    const metrics = gateway.ports.find(({ name }: { name: string }) => name === 'metrics');
    expect(podVariables.METRICS_PORT).toBe(`0.0.0.0:${metrics.containerPort}`);
    expect(kustomization.namespace).toBe(manifests.Namespace.metadata.name);
  });

  test('a pod is not asked for before it has stopped, nor killed', () => {
    const { periodSeconds, timeoutSeconds, failureThreshold } = gateway.readinessProbe;
    expect((periodSeconds + timeoutSeconds) * failureThreshold * 1_000).toBeLessThan(5_000);
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(stopMs);
    // Always one more than is needed: none is away at an upgrade, and at most one when nodes are emptied.
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
    expect(manifests.PodDisruptionBudget.spec.maxUnavailable).toBeLessThan(deployment.spec.replicas);
  });

  test('the version is that of the project, and the variables are those of the gateway', () => {
    const { version } = JSON.parse(readText('package.json'));
    expect(kustomization.images[0].newTag).toBe(version);
    expect(sectionOf('Kubernetes')).toContain(`postern:${version} `);
    const names = Object.keys(variables).flatMap((name) => [name, `${name}_FILE`]);
    expect(names).toEqual(expect.arrayContaining(Object.keys(podVariables)));
    const [secrets = ''] = linesOfSection('Kubernetes', 'kubectl').filter((line) => line.includes('create secret'));
    for (const path of Object.values(podVariables).filter((value) => value.startsWith('/')))
      expect(secrets).toContain(`--from-file=${path.replace('/run/secrets/postern/', '')}`);
  });
});
