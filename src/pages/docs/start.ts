/** The page at `/`: what the gateway does, as operations that run here with the visitor's key. */
import type { GraphQLSchema } from 'graphql';
import { endpoint } from '../../graphql/endpoint.ts';
import { type StaticDocument, sendDocument, staticDocument } from '../../http/documents.ts';
import { pageHeaders } from '../../http/headers.ts';
import type { Route } from '../../http/router.ts';
import { once } from '../../kernel/lib/once.ts';
import type { ServedPages } from '../bar.ts';
import { escapeText } from '../html.ts';
import { sitePage, sitePolicy } from './site.ts';

interface Tile {
  readonly title: string;
  readonly text: string;
  /** Of GraphiQL. The second runs while the first, a subscription, is open. */
  readonly examples: readonly string[];
}

const tiles: readonly Tile[] = [
  {
    title: 'One feed for both networks',
    text: 'Posts of a person on pnet and of an account on photonet, with one fragment.',
    examples: ['FeedOfBoth'],
  },
  {
    title: 'Publish with a one-time code',
    text: 'The network asks for a code before it publishes. A wrong code is refused, the right one publishes the draft: once.',
    examples: ['PublishWithOtp'],
  },
  {
    title: 'Watch deliveries',
    text: 'Emits an event, and shows each attempt to deliver it: some webhooks fail, and are tried again.',
    examples: ['WatchDeliveries', 'EmitEvent'],
  },
  {
    title: 'Health of all webhooks',
    text: 'Success rate, latency and backlog in one query, and which webhooks fail.',
    examples: ['WebhookSummary'],
  },
  {
    title: 'Failures are data',
    text: 'A failure that you can act on has a code and a message, and is a type of the schema.',
    examples: ['DeclinedPayment'],
  },
];

/** GET `/v1/…` of the same posts. */
const restAddress = '/v1/users/ACoSandbox250/posts?account_id=pnet-----------------A&limit=2';

async function readTiles(schema: GraphQLSchema, hasGraphiQL: boolean): Promise<string> {
  const [{ servedExamples }, { highlight }] = await Promise.all([
    import('../graphiql/examples.ts'),
    import('./highlight.ts'),
  ]);
  const served = new Map(
    (await servedExamples(schema)).flatMap(({ examples }) => examples.map((example) => [example.name, example])),
  );
  const ofGraphQL = tiles.flatMap(({ title, text, examples }) => {
    const operations = examples.flatMap((name) => served.get(name) ?? []);
    const [first] = operations;
    if (first === undefined || operations.length < examples.length) return [];
    const query = new URLSearchParams({ query: first.query, variables: JSON.stringify(first.variables, null, 2) });
    const link = hasGraphiQL ? `<a href="${endpoint}#${escapeText(query.toString())}">Open in GraphiQL</a>` : '';
    const sent = operations.map((each) => ({ query: each.query, variables: each.variables }));
    return [
      tileOf(
        title,
        text,
        highlight(first.query, 'graphql'),
        `data-operations="${escapeText(JSON.stringify(sent))}"`,
        link,
      ),
    ];
  });
  const rest = tileOf(
    'The same over REST',
    'Seven endpoints of JSON, for clients without GraphQL.',
    `GET ${escapeText(restAddress)}`,
    `data-rest="${escapeText(restAddress)}"`,
    '<a href="/docs/use/rest">REST</a>',
  );
  return [...ofGraphQL, rest].join('');
}

const tileOf = (title: string, text: string, code: string, data: string, link: string): string =>
  `<article ${data}><h2>${title}</h2><p>${text}</p><details><summary>Operation</summary><pre tabindex="0"><code>${code}</code></pre></details><p class="run"><button type="button">Run</button>${link}</p><pre class="result" tabindex="0" aria-live="polite" aria-label="Result of: ${title}" hidden></pre></article>`;

/** What an operator wants first of a gateway without the demo, whose accounts the tiles name. */
const ofOperators = [
  ['Create an API key', 'For each caller, with its scopes and accounts.', '/docs/run/keys'],
  ['Deploy', 'Behind a proxy, on every core, in a cluster.', '/docs/run/deployment'],
  ['Observe', 'Metrics, traces, the log and its messages.', '/docs/run/observability'],
  ['Operate', 'Stop, back up, restore, find faults.', '/docs/run/operations'],
  ['Learn the API', 'The schema: ids, lists, mutations, errors.', '/docs/use/schema'],
  ['The same over REST', 'Seven endpoints, with their description.', '/docs/use/rest'],
]
  .map(([title, text, address]) => `<article><h2><a href="${address}">${title}</a></h2><p>${text}</p></article>`)
  .join('');

/** @param hasDemo whether the accounts of the demo are there */
export function startRoutes(schema: GraphQLSchema, pages: ServedPages, hasDemo: boolean): Route[] {
  const page: () => Promise<StaticDocument> = once(async () =>
    staticDocument(
      'text/html; charset=utf-8',
      await sitePage('start', '/', pages, {
        endpoint,
        hint: hasDemo ? ' Run an operation; the response appears below it.' : '',
        tiles: hasDemo ? await readTiles(schema, pages.graphiql) : ofOperators,
      }),
    ),
  );
  return [
    {
      method: 'GET',
      path: '/',
      async serve(request) {
        request.addHeaders(pageHeaders(sitePolicy));
        await sendDocument(await page(), request);
      },
    },
  ];
}
