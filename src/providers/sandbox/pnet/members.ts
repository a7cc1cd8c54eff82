import type { PnetAuthor } from '../../../capabilities/posts/shapes.ts';
import { type FailingRow, failureOf, invalidRecipient } from '../listing.ts';
import { type PnetMember, type PnetRow, pnetIdentifiers } from './identifiers.ts';

/** A map, because an object has `constructor`. */
const rows: ReadonlyMap<string, PnetRow | FailingRow> = new Map(Object.entries(pnetIdentifiers));

const isMember = (identifier: string): identifier is PnetMember => 'posts' in (rows.get(identifier) ?? {});

/** @throws ServiceError `invalid_recipient` when there is none, and the error of an identifier that cannot be listed */
export function requireMember(identifier: string, isCompany: boolean): PnetMember {
  requireKind(identifier, isCompany);
  if (isMember(identifier)) return identifier;
  const row = rows.get(identifier);
  throw row !== undefined && 'fails' in row
    ? failureOf(row)
    : invalidRecipient(`No ${isCompany ? 'company' : 'user'} of the network has this identifier.`);
}

function requireKind(identifier: string, isCompany: boolean): void {
  const digits = /^\d+$/.test(identifier);
  if (!digits && !/^A[CD]o[\w-]+$/.test(identifier)) {
    throw invalidRecipient('The identifier must start with ACo or ADo (a user) or consist of digits (a company).');
  }
  if (digits && !isCompany)
    throw invalidRecipient(
      'The identifier belongs to a company: ask for it as one, with is_company (isCompany in GraphQL).',
    );
  if (!digits && isCompany)
    throw invalidRecipient('The identifier belongs to a user: leave is_company (isCompany in GraphQL) out.');
}

export const profileUrl = (id: PnetMember): string =>
  `https://www.pnet.example/${isCompanyId(id) ? 'company' : 'in'}/${pnetIdentifiers[id].publicIdentifier}`;

export const isCompanyId = (id: PnetMember): boolean => /^\d/.test(id);

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
