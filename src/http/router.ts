/**
 * Which route serves a request. A table of a dozen rows needs no tree: a path without parameters is found at once, and others are
 * compared segment by segment.
 */
import { ServiceError } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { HttpRefusal, type Refuse } from './refusals.ts';

/** The parameters of a path, decoded. */
export type Parameters = Readonly<Record<string, string>>;

export interface Route {
  readonly method: string;
  /** Whether HEAD is served as GET is, without the body; true if left out. */
  readonly hasHead?: boolean;
  /** `/v1/pnet/jobs/:job_id`. A slash at the end of a request's path means nothing. */
  readonly path: string;
  /** Sends the response. @throws what {@link refuse} responds to */
  readonly serve: (request: IncomingRequest, parameters: Parameters) => void | Promise<void>;
  /** Replaces a failure before it is logged and sent. */
  readonly adjust?: (failure: ServiceError) => ServiceError;
  /** Responds to a failure; with the contract's envelope if left out. */
  readonly refuse?: Refuse;
}

export interface Found {
  readonly route: Route;
  readonly parameters: Parameters;
}

interface Resource {
  readonly segments: readonly string[];
  readonly routes: Route[];
}

export interface Router {
  /** Of all routes, each once. */
  readonly paths: readonly string[];
  add(routes: readonly Route[]): void;
  /** @param url of the request line. @returns null where no route has the method or the path */
  find(method: string, url: string): Found | null;
  /** Why nothing was found. */
  refusalOf(method: string, url: string): ServiceError;
  /** How a path refuses methods that it does not have. */
  refuserOf(url: string): Refuse | undefined;
}

export function createRouter(): Router {
  const resources = new Map<string, Resource>();

  const resourceAt = (url: string): { resource: Resource; parameters: Parameters } | null => {
    // A client may send the absolute address (RFC 9112, section 3.2.2).
    const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
    const end = target.search(/[?#]/);
    const path = end === -1 ? target : target.slice(0, end);
    const known = resources.get(path);
    if (known !== undefined) return { resource: known, parameters: {} };
    const segments = segmentsOf(path);
    for (const resource of resources.values()) {
      const parameters = match(resource.segments, segments);
      if (parameters !== null) return { resource, parameters };
    }
    return null;
  };

  return {
    get paths() {
      return [...resources.keys()];
    },
    add(routes) {
      for (const route of routes) {
        const { path } = route;
        const resource = resources.get(path) ?? { segments: path.split('/'), routes: [] };
        resources.set(path, resource);
        resource.routes.push(route);
      }
    },
    find(method, url) {
      const at = resourceAt(url);
      const route = at?.resource.routes.find((each) => methodsOf(each).includes(method));
      return at === null || route === undefined ? null : { route, parameters: at.parameters };
    },
    refusalOf(method, url) {
      const routes = resourceAt(url)?.resource.routes;
      if (routes === undefined) {
        const detail = `No resource matches ${method} ${shortened(url.split('?', 1)[0] ?? '')}.`;
        return new ServiceError('resource_not_found', { detail });
      }
      const allow = routes.flatMap(methodsOf).join(', ');
      const detail = `The path does not support ${method}, only ${allow}.`;
      return new HttpRefusal(405, { detail, headers: { allow } });
    },
    refuserOf: (url) => resourceAt(url)?.resource.routes[0]?.refuse,
  };
}

const methodsOf = ({ method, hasHead = method === 'GET' }: Route): readonly string[] =>
  hasHead ? [method, 'HEAD'] : [method];

/** More segments than any route has are no route. */
const maxSegments = 16;

/** The segments of a path, decoded. What is not valid percent-encoding stays as it is: the REST face refuses it. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/', maxSegments);
  if (segments.length > 2 && segments.at(-1) === '') segments.pop();
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return segments;
  }
}

function match(pattern: readonly string[], segments: readonly string[]): Parameters | null {
  if (pattern.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = segment;
    else if (part !== segment) return null;
  }
  return parameters;
}
