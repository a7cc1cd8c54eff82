/** The doors of the gateway, and the gates that each has: the table of door-gates.slow.test.ts. A text says why there is none. */

export const gates = ['turns', 'places', 'size', 'depth', 'rate', 'deadline', 'slow reader'] as const;
export type Gate = (typeof gates)[number];

/** How a door refuses: a part of the response, or the code of the close frame. */
export type Refusal = RegExp | number;

export interface GatedDoor {
  /** How it is asked. */
  readonly way: 'POST' | 'GET' | 'WebSocket' | 'ping' | 'intake' | 'memory';
  readonly path: string;
  readonly accept: string;
  readonly gates: Readonly<Record<Gate, Refusal | true | string>>;
}

const tooLarge = /CONTENT_TOO_LARGE|errors\/content_too_large/;
const tooDeep = /nested more than 64 levels/;
const tooMany = /There can be 2 requests with this API key/;

const ofBodies = {
  turns: true,
  places: true,
  size: tooLarge,
  depth: tooDeep,
  rate: tooMany,
  deadline: true,
  'slow reader': true,
} as const;
const ofUrls = { ...ofBodies, size: tooLarge, depth: tooDeep } as const;

export const gatedDoors: Readonly<Record<string, GatedDoor>> = {
  'REST, a body': { way: 'POST', path: '/v1/webhooks', accept: '*/*', gates: ofBodies },
  'REST, a list': {
    way: 'GET',
    path: '/v1/webhooks?limit=250',
    accept: '*/*',
    gates: { ...ofUrls, depth: 'a URL of REST has no JSON' },
  },
  'GraphQL as JSON': { way: 'POST', path: '/graphql', accept: 'application/json', gates: ofBodies },
  'GraphQL in a URL': { way: 'GET', path: '/graphql', accept: 'application/json', gates: ofUrls },
  'GraphQL as events': { way: 'POST', path: '/graphql', accept: 'text/event-stream', gates: ofBodies },
  'GraphQL as events, in a URL': { way: 'GET', path: '/graphql', accept: 'text/event-stream', gates: ofUrls },
  'GraphQL in parts': {
    way: 'POST',
    path: '/graphql',
    accept: 'multipart/mixed;subscriptionSpec=1.0',
    gates: ofBodies,
  },
  'GraphQL over WebSocket': {
    way: 'WebSocket',
    path: '/graphql',
    accept: '',
    gates: { ...ofBodies, size: 1009, depth: 4400, deadline: 4408 },
  },
  'GraphQL without a socket': {
    way: 'memory',
    path: '/graphql',
    accept: 'application/json',
    gates: ofBodies,
  },
  'events of a service': {
    way: 'intake',
    path: '/intake/message_received',
    accept: '*/*',
    gates: {
      ...ofBodies,
      places: 'commands of a workspace have lines of their own (store/workspace-lines.ts)',
      size: /^HTTP\/1.1 413 /,
      depth: tooDeep,
      rate: /^HTTP\/1.1 503 /,
      'slow reader': 'a response has two fields',
    },
  },
  'pings over WebSocket': {
    way: 'ping',
    path: '/graphql',
    accept: '',
    gates: {
      turns: true,
      places: 'a ping executes nothing',
      size: 1009,
      depth: 4400,
      rate: 4429,
      deadline: 'that of the connection, as for operations',
      'slow reader': 'who does not read its pongs is not read (web-socket.slow.test.ts)',
    },
  },
};
