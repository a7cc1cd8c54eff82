/** The environment variables, in groups. */
import { secretNames } from '../../../src/app/config/secrets.ts';
import { variableTable } from '../../../src/app/config/variables.ts';
import { code, row, table } from './markdown.ts';

/** What the names of a group have in common. Whatever is in no other group is the server's. */
const groups: Readonly<Record<string, RegExp>> = {
  database: /^(?:DATABASE_URL|SECRET|SECRET_PREVIOUS|DEMO)$/,
  postgres: /^DATABASE_/,
  graphql: /^(?:GRAPH|WEBHOOKS_PAGE|INTROSPECTION|FEDERATION|DOCUMENTS|COMPILED)/,
  cache: /^(?:RESPONSE_CACHE|REDIS)/,
  limits: /_PER_/,
  proxies: /^(?:HTTPS?|NO|OUTBOUND)_PROXY$/,
  webhooks: /^(?:DELIVERY_|OUTBOUND_|DNS_)/,
  proxy: /^UPSTREAM_/,
  intake: /^(?:WEBHOOKS|PUBLIC_URL|INTAKE_EVENTS)$/,
  telemetry: /^(?:METRICS_|OTEL_)/,
};

const groupOf = (name: string): string =>
  Object.entries(groups).find(([, pattern]) => pattern.test(name))?.[0] ?? 'server';

const rowsOf = (group: string): string[] =>
  variableTable
    .filter(({ name }) => groupOf(name) === group)
    .map(({ name, help, fallback }) => row(code(name), fallback === '' ? '' : code(fallback), help));

export const variableTables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['server', ...Object.keys(groups)].map((group) => [
      `variables of ${group}`,
      table(['Variable', 'Default', 'What it does'], rowsOf(group)),
    ]),
  ),
  'variables of files': secretNames.map((name) => `- ${code(`${name}_FILE`)}`).join('\n'),
};
