import { type FailingRow, failing, type IdentifierRow } from '../listing.ts';

export interface PnetRow extends IdentifierRow {
  readonly name: string;
  readonly publicIdentifier: string;
  readonly headline?: string;
  readonly picture?: boolean;
  /** Own posts, reposts, or one post for each feature of posts. */
  readonly content: 'own' | 'reposts' | 'gallery' | 'odd';
}

/** People in the contract's two spellings, then companies: digits. Any other is `errors/invalid_recipient`. */
export const pnetIdentifiers = {
  ACoSandbox250: {
    description: 'A person with 250 posts: three pages.',
    serial: 1,
    posts: 250,
    content: 'own',
    name: 'Amara Lindqvist',
    publicIdentifier: 'amara-lindqvist',
    headline: 'Engineering manager at Northlight Robotics',
    picture: true,
  },
  ACoSandbox100: {
    description: 'A person with exactly 100 posts: one full page, the last.',
    serial: 2,
    posts: 100,
    content: 'own',
    name: 'Tomás Okafor',
    publicIdentifier: 'tomas-okafor',
    headline: 'Product designer. Asks why, twice.',
    picture: true,
  },
  ADoSandbox25: {
    description: 'A person with 25 posts, whose identifier starts with ADo.',
    serial: 3,
    posts: 25,
    content: 'own',
    name: 'Mei-Lin Haddad',
    publicIdentifier: 'mei-lin-haddad',
    headline: 'Talent partner for climate and robotics',
  },
  ACoSandbox1: {
    description: 'A person with one post, and neither headline nor picture.',
    serial: 4,
    posts: 1,
    content: 'own',
    name: 'Jonas Petit',
    publicIdentifier: 'jonas-petit',
  },
  ACoSandbox0: {
    description: 'A person without posts.',
    serial: 5,
    posts: 0,
    content: 'own',
    name: 'Noor Silva',
    publicIdentifier: 'noor-silva',
  },
  ACoSandboxReposts: {
    description: 'A person who only reposts: 30 reposts of three authors.',
    serial: 6,
    posts: 30,
    content: 'reposts',
    name: 'Ravi Bergström',
    publicIdentifier: 'ravi-bergstroem',
    headline: 'Curator of good news',
    picture: true,
  },
  ACoSandboxGallery: {
    description:
      'A person whose posts show every feature that a post can have: attachments, polls, groups, reactions …',
    serial: 7,
    posts: 24,
    content: 'gallery',
    name: 'Zoë Ångström 🚀',
    publicIdentifier: 'zoe-angstroem',
    headline: 'Shows everything a post can have · Ünïcödé',
    picture: true,
  },
  ACoSandboxSlow: {
    description: 'A person with 12 posts; a page takes about 300 ms.',
    serial: 8,
    posts: 12,
    delayMs: 300,
    content: 'own',
    name: 'Ida Moreau',
    publicIdentifier: 'ida-moreau',
    headline: 'Takes her time',
  },
  ACoSandboxBreaks: {
    description: 'A person with 150 posts; a page that reaches beyond the first 100 is errors/provider_error.',
    serial: 9,
    posts: 150,
    failsFrom: 100,
    content: 'own',
    name: 'Kofi Laurent',
    publicIdentifier: 'kofi-laurent',
  },
  ACoSandboxOdd: {
    description:
      'A person with 150 posts: the 3rd is of a network that nobody knows, and the 103rd has neither author nor text.',
    serial: 12,
    posts: 150,
    content: 'odd',
    name: 'Odette Varga',
    publicIdentifier: 'odette-varga',
  },
  '900043': {
    description: 'A company with 43 posts, with analytics.',
    serial: 10,
    posts: 43,
    content: 'own',
    name: 'Northlight Robotics',
    publicIdentifier: 'northlight-robotics',
    headline: 'Robots that carry, so that people need not',
    picture: true,
  },
  '900000': {
    description: 'A company without posts.',
    serial: 11,
    posts: 0,
    content: 'own',
    name: 'Quiet Harbour',
    publicIdentifier: 'quiet-harbour',
  },

  ACoSandboxInvalidRecipient: failing(
    'invalid_recipient',
    'The user is no valid target: the account was deleted.',
    'A person who is no valid target',
  ),
  ACoSandboxUserUnreachable: failing(
    'user_unreachable',
    'The user cannot be reached from this account.',
    'A person who cannot be reached',
  ),
  ACoSandboxProviderUnreachable: failing('provider_unreachable', 'The network cannot be reached at the moment.'),
  ACoSandboxUnprocessable: failing(
    'unprocessable_entity',
    'The network cannot process the request in its present form.',
  ),
  ACoSandboxInvalidAccount: failing(
    'invalid_account',
    'The account is not designed for reading the posts of this user.',
  ),
  ACoSandboxConfiguration: failing(
    'account_configuration_error',
    'The configuration of the account prevents reading the posts of this user.',
  ),
  ACoSandboxRestricted: failing('resource_access_restricted', 'The user shows posts to relations only.'),
  ACoSandboxProviderError: failing('provider_error', 'The network failed. Try again later.'),
  ACoSandboxNetworkDown: failing('network_down', 'The network is down. Try again shortly.'),
  ACoSandboxRequestTimeout: {
    description: 'errors/request_timeout, immediately.',
    fails: 'request_timeout',
    detail: 'The network did not respond in time. Try again; contact support if it persists.',
  },
  '900422': failing(
    'user_unreachable',
    'The company cannot be reached from this account.',
    'A company that cannot be reached',
  ),
} as const satisfies Readonly<Record<string, PnetRow | FailingRow>>;

type Identifiers = typeof pnetIdentifiers;

export type PnetMember = {
  [id in keyof Identifiers]: Identifiers[id] extends PnetRow ? `${id}` : never;
}[keyof Identifiers];
