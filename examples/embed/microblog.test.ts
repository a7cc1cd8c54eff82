/** The adapter against an instance of its network that is for tests: Ada has posts there, and the token is hers. */
import { test } from 'node:test';
import { postProviderChecks } from 'postern/testing';
import { microblog } from './microblog.ts';

const checks = postProviderChecks({
  provider: microblog(process.env.MICROBLOG_URL ?? ''),
  session: { accountId: 'a', type: 'MICROBLOG', token: process.env.MICROBLOG_TOKEN ?? '' },
  wrongToken: 'not-a-token-of-anybody',
  identifier: 'ada',
  unknownIdentifier: 'nobody',
});

for (const { name, run } of checks) test(name, run);
