/** The suites that `npm run test:quick` leaves out, and what takes their time. */
export const slowSuites: Readonly<Record<string, string>> = {
  'test/auth/webhook-access.test.ts': 'tries every operation on webhooks with every kind of key and webhook',
  'test/cli/commands.test.ts': 'starts a process for every case',
  'test/delivery/engine.crash.test.ts': 'kills processes under load',
  'test/delivery/worker.test.ts': 'waits for destinations that hang, and for a worker that has nothing to do',
  'test/graphql/clients.test.ts': 'runs every sandbox outcome through each of the GraphQL clients',
  'test/process.test.ts': 'starts a process for every case',
  'test/rest/openapi.test.ts': 'sends hundreds of generated requests',
  'test/store/database.test.ts': 'starts processes that share a database',
  'test/upstream/client.faults.test.ts': 'waits for real deadlines',
  'test/upstream/client.load.test.ts': 'sends thousands of requests',
};
