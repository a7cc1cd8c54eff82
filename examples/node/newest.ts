import { mergeFeeds } from 'postern/client';
import { graphql } from './gql/gql.ts';
import { ask } from './postern.ts';

const Newest = graphql(`query Newest($pnet: ID!, $photonet: ID!) {
  colleagues: posts(accountId: $pnet, identifier: "ACoSandboxGallery", first: 5) { nodes { ...Entry } pageInfo { hasNextPage } }
  photos: posts(accountId: $photonet, identifier: "sandbox.gallery", first: 5) { nodes { ...Entry } pageInfo { hasNextPage } }
}
fragment Entry on NetworkPost {
  text
  author { name }
  ... on PnetPost { publishedAt }
  ... on PhotonetPost { caption { createdAt } }
}`);

const accounts = { pnet: 'pnet-----------------A', photonet: 'photonet-------------A' };
const { colleagues, photos } = await ask(Newest, accounts);
for (const { author, text } of mergeFeeds([colleagues, photos])) console.log(author.name, text);
