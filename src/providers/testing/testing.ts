/** `postern/testing`: checks for the authors of adapters, without a test runner. */
export type { Check } from './check.ts';
export { type JobCase, jobProviderChecks } from './jobs.ts';
export { type PostCase, postProviderChecks } from './posts.ts';
