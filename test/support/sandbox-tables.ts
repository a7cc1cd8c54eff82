/** The tables of the fixed ids in src/providers/sandbox/README.md, generated from the tables that the sandbox runs on. */

import { failingAccounts } from '../../src/app/demo.ts';
import { accountStatuses } from '../../src/auth/account.ts';
import { checkpointInputs, jobScenarios, postIdentifiers } from '../../src/providers/sandbox/networks.ts';

const rowOf = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

export const sandboxTables: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    ...failingAccounts.map(({ id, draftId, status, session }) => {
      const { failure } = accountStatuses[status];
      const outcome =
        failure === null ? code(`errors/${session}`) : `${code(`errors/${failure.errorName}`)}, status ${status}`;
      return rowOf(code(id), code(draftId), outcome);
    }),
  ],
  drafts: Object.entries(jobScenarios).map(([name, { description }], index) =>
    rowOf(code(String(1001 + index)), code(`sandbox:${name}`), description),
  ),
  inputs: Object.entries(checkpointInputs).flatMap(([type, inputs]) =>
    Object.entries(inputs).map(([input, outcome]) =>
      rowOf(type, code(input), outcome === 'accepted' ? 'accepted' : code(`errors/${outcome}`)),
    ),
  ),
  pnet: Object.entries(postIdentifiers.pnet).map(([identifier, { description }]) =>
    rowOf(code(identifier), description),
  ),
  photonet: Object.entries(postIdentifiers.photonet).map(([username, { providerId, description }]) =>
    rowOf(code(username), code(providerId), description),
  ),
};

if (import.meta.main) {
  for (const [name, rows] of Object.entries(sandboxTables)) process.stdout.write(`${name}\n${rows.join('\n')}\n\n`);
}
