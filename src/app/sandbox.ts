/** The sandbox over the network: its pictures as routes, and its receiver of webhooks in the place of the network. */

import type { Route } from '../http/router.ts';
import { sendBody } from '../http/send.ts';
import { ServiceError } from '../kernel/errors.ts';
import { timeOfId } from '../kernel/ids.ts';
import { second } from '../kernel/lib/time-units.ts';
import type { Outbound, OutboundPost } from '../net/outbound.ts';
import { postIdentifiers } from '../providers/sandbox/networks.ts';
import { pictureOf, picturesPath } from '../providers/sandbox/pictures.ts';
import { receiverHost, receiverResponse } from '../providers/sandbox/receiver.ts';

/** `GET /sandbox/pictures/{shape}-{name}.svg`, for pages of any origin. */
export const sandboxPictureRoutes: Route[] = [
  {
    method: 'GET',
    path: `${picturesPath}/:file`,
    async serve(request, { file = '' }) {
      const picture = pictureOf(file);
      if (picture === null)
        throw new ServiceError('resource_not_found', { detail: 'The sandbox has no such picture.' });
      request.addHeaders({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
      sendBody(request, 200, 'image/svg+xml', picture);
    },
  },
];

/** Whose posts to try, by type of account: first whoever has posts of every kind. */
export const sandboxIdentifiers = {
  PNET: described(postIdentifiers.pnet, 'ACoSandboxGallery'),
  PHOTONET: described(postIdentifiers.photonet, 'sandbox.gallery'),
};

function described(
  identifiers: Readonly<Record<string, { readonly description: string }>>,
  first: string,
): (readonly [identifier: string, description: string])[] {
  const all = Object.entries(identifiers).map(([identifier, { description }]) => [identifier, description] as const);
  return all.sort(([one], [other]) => Number(other === first) - Number(one === first));
}

/** Answers for the receiver of the sandbox, and reaches no network for it. */
export const withSandboxReceiver = (outbound: Outbound): Outbound => ({
  async post(request) {
    if (request.url.hostname !== receiverHost) return outbound.post(request);
    return receiverResponse(request.url.pathname, ageOf(request));
  },
  close: () => outbound.close(),
});

/** Milliseconds from the creation of the delivery to the attempt. */
function ageOf({ headers }: OutboundPost): number {
  const header = (name: string) => headers[headers.indexOf(name) + 1] ?? '';
  return Number(header('webhook-timestamp')) * second - timeOfId(header('webhook-id'));
}
