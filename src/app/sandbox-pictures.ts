/** The pictures of the sandbox networks over HTTP. */
import type { Route } from '../http/router.ts';
import { sendBody } from '../http/send.ts';
import { ServiceError } from '../kernel/errors.ts';
import { pictureOf, picturesPath } from '../providers/sandbox/pictures.ts';

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
