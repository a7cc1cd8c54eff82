/** The persons and companies of the sandbox's pnet: finding one by its identifier, and showing one in a post. */
import type { PnetAuthor } from '../../../posts/shapes.ts';
import { type FailingRow, invalidRecipient } from '../listing.ts';
import { type PnetMember, type PnetRow, pnetIdentifiers } from './identifiers.ts';

/** The row of an identifier, asked for as a person's or a company's; throws `errors/invalid_recipient` if there is none. */
export function pnetRow(identifier: string, isCompany: boolean): PnetRow | FailingRow {
  requireKind(identifier, isCompany);
  if (!Object.hasOwn(pnetIdentifiers, identifier)) {
    throw invalidRecipient(`No ${isCompany ? 'company' : 'user'} of the network has this identifier.`);
  }
  return pnetIdentifiers[identifier as keyof typeof pnetIdentifiers];
}

function requireKind(identifier: string, isCompany: boolean): void {
  const digits = /^\d+$/.test(identifier);
  if (!digits && !/^A[CD]o[\w-]+$/.test(identifier)) {
    throw invalidRecipient('The identifier must start with ACo or ADo (a user) or be a series of digits (a company).');
  }
  if (digits && !isCompany) throw invalidRecipient('The identifier is that of a company: ask with is_company true.');
  if (!digits && isCompany) throw invalidRecipient('The identifier is that of a user: ask without is_company.');
}

/** Where a person or company has a page. */
export const profileUrl = (id: PnetMember): string =>
  `https://www.pnet.example/${isCompanyId(id) ? 'company' : 'in'}/${pnetIdentifiers[id].publicIdentifier}`;

/** Whether an identifier is that of a company. */
export const isCompanyId = (id: PnetMember): boolean => /^\d/.test(id);

/** The person or company as the author of a post: a new object each time. */
export function authorOf(id: PnetMember): PnetAuthor {
  const row: PnetRow = pnetIdentifiers[id];
  const author: PnetAuthor = {
    public_identifier: row.publicIdentifier,
    id,
    name: row.name,
    is_company: isCompanyId(id),
  };
  if (row.headline !== undefined) author.headline = row.headline;
  if (row.picture) author.profile_picture_url = `https://media.pnet.example/profile/${row.publicIdentifier}.jpg`;
  return author;
}
