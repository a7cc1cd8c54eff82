/** Reads what is in `deploy/`, with the packages of this folder. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, parseDockerfile } from '../support/dockerfile.ts';

/** Of packages that are not installed with the project, so that its types are not there either. */
// biome-ignore lint/suspicious/noExplicitAny: manifests of every shape
type Any = any;

export const root = join(import.meta.dirname, '../..');

export const readText = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A package of this folder. @throws Error that says how to install it */
export function load(name: string): Any {
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    throw new Error(`${name} is not installed: npm ci --prefix test/deploy`, { cause: error });
  }
}

export const parseYaml = (text: string): Any => load('yaml').parse(text, { merge: true });

export interface Service {
  readonly image?: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, Any>>;
}

export const compose: Compose = parseYaml(readText('deploy/compose.yaml'));

export const caddyfile: string = readText('deploy/Caddyfile');

/** What a container of the Dockerfile's image is started with. */
export const image = build(parseDockerfile(readText('Dockerfile')), { copy: () => undefined, run: () => undefined });

export const kustomization: Any = parseYaml(readText('deploy/kubernetes/kustomization.yaml'));

/** The manifests of the kustomization, by their kinds. */
export const manifests: Readonly<Record<string, Any>> = Object.fromEntries(
  kustomization.resources.map((file: string) => {
    const manifest = parseYaml(readText(`deploy/kubernetes/${file}`));
    return [manifest.kind, manifest];
  }),
);

/** The variables that the pods of the cluster have. */
export const podVariables: Readonly<Record<string, string>> = Object.fromEntries(
  readText('deploy/kubernetes/gateway.env')
    .split('\n')
    .filter((line) => /^\w/.test(line))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);
