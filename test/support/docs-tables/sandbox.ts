/** The fixed ids of the sandbox networks, from the tables that the sandbox runs on. */
import { failingAccounts } from '../../../src/app/demo.ts';
import { accountStatuses } from '../../../src/auth/account.ts';
import { keysOf } from '../../../src/kernel/lib/objects.ts';
import { checkpointInputs, jobScenarios, postIdentifiers } from '../../../src/providers/sandbox/networks.ts';
import { type ReceiverPath, receiverPaths, receiverUrl } from '../../../src/providers/sandbox/receiver.ts';
import { code, row, table } from './markdown.ts';

export const sandboxTables: Readonly<Record<string, string>> = {
  'sandbox accounts': table(
    ['Account', 'Its draft', 'Every request fails with'],
    failingAccounts.map(({ id, draftId, status, session }) => {
      const { failure } = accountStatuses[status];
      const outcome =
        failure === null ? code(`errors/${session}`) : `${code(`errors/${failure.errorName}`)}, status ${status}`;
      return row(code(id), code(draftId), outcome);
    }),
  ),
  'sandbox drafts': table(
    ['Draft', '`companyJobId`', 'What happens'],
    Object.entries(jobScenarios).map(([name, { description }], index) =>
      row(code(String(1001 + index)), code(`sandbox:${name}`), description),
    ),
  ),
  'sandbox inputs': table(
    ['Checkpoint', 'Input', 'Outcome'],
    Object.entries(checkpointInputs).flatMap(([type, inputs]) =>
      Object.entries(inputs).map(([input, outcome]) =>
        row(type, code(input), outcome === 'accepted' ? 'accepted' : code(`errors/${outcome}`)),
      ),
    ),
  ),
  'sandbox receiver': table(
    ['Address', 'What it does'],
    keysOf(receiverPaths).map((path: ReceiverPath) => row(code(receiverUrl(path)), receiverPaths[path].description)),
  ),
  'sandbox identifiers of pnet': table(
    ['`identifier`', 'Posts'],
    Object.entries(postIdentifiers.pnet).map(([identifier, { description }]) => row(code(identifier), description)),
  ),
  'sandbox identifiers of photonet': table(
    ['Username', 'Provider id', 'Posts'],
    Object.entries(postIdentifiers.photonet).map(([username, { providerId, description }]) =>
      row(code(username), code(providerId), description),
    ),
  ),
};
