/** Routes without a tree: of a dozen, paths without parameters are found at once, and others compared by segment. */
import { ServiceError } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import { HttpRefusal } from './http-refusal.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { pathIn } from './request-head.ts';
import type { Refuse } from './send.ts';

export type Parameters = Readonly<Record<string, string>>;

export interface Route {
  readonly method: string;
  /** Whether HEAD is served as GET without the body; default true. */
  readonly hasHead?: boolean;
  /** `/v1/pnet/jobs/:job_id`. A trailing slash of a request means nothing. */
  readonly path: string;
  /** @throws errors for {@link refuse} */
  readonly serve: (request: IncomingRequest, parameters: Parameters) => void | Promise<void>;
  readonly adjust?: (failure: ServiceError) => ServiceError;
  /** Default: the contract's envelope. */
  readonly refuse?: Refuse;
}

interface Found {
  readonly route: Route;
  readonly parameters: Parameters;
}

interface Resource {
  readonly segments: readonly string[];
  readonly routes: Route[];
}

export function createRouter() {
  const resources = new Map<string, Resource>();

  const resourceAt = (url: string): { resource: Resource; parameters: Parameters } | null => {
    const path = pathIn(url);
    const known = resources.get(path);
    if (known !== undefined) return { resource: known, parameters: none };
    const segments = segmentsOf(path);
    for (const resource of resources.values()) {
      const parameters = matchSegments(resource.segments, segments);
      if (parameters !== null) return { resource, parameters };
    }
    return null;
  };

  return {
    get paths() {
      return [...resources.keys()];
    },
    add(routes: readonly Route[]) {
      for (const route of routes) {
        const { path } = route;
        const resource = resources.get(path) ?? { segments: path.split('/'), routes: [] };
        resources.set(path, resource);
        resource.routes.push(route);
      }
    },
    find(method: string, url: string): Found | null {
      const at = resourceAt(url);
      if (at === null) return null;
      for (const route of at.resource.routes) if (serves(route, method)) return { route, parameters: at.parameters };
      return null;
    },
    refusalOf(method: string, url: string) {
      const routes = resourceAt(url)?.resource.routes;
      if (routes === undefined) {
        const detail = `No resource matches ${method} ${shortened(url.split('?', 1)[0] ?? '')}.`;
        return new ServiceError('resource_not_found', { detail });
      }
      const allow = routes.flatMap(methodsOf).join(', ');
      const detail = `The path does not support ${method}, only ${allow}.`;
      return new HttpRefusal(405, { detail, headers: { allow } });
    },
    /** @param unknown for a path that nothing has */
    refuserOf(url: string, unknown?: Refuse) {
      const at = resourceAt(url);
      return at === null ? unknown : at.resource.routes[0]?.refuse;
    },
  };
}

const serves = ({ method, hasHead = method === 'GET' }: Route, wanted: string): boolean =>
  wanted === method || (hasHead && wanted === 'HEAD');

const none: Parameters = {};

const methodsOf = ({ method, hasHead = method === 'GET' }: Route): readonly string[] =>
  hasHead ? [method, 'HEAD'] : [method];

/** No route has more. */
const maxSegments = 16;

/** Decoded; invalid percent-encoding stays, for the REST face to refuse. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/', maxSegments);
  if (segments.length > 2 && segments.at(-1) === '') segments.pop();
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return segments;
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Parameters | null {
  if (pattern.length !== segments.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = segment;
    else if (part !== segment) return null;
  }
  return parameters;
}
