import type { FastifyInstance } from 'fastify';

interface Route {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

const tables = new WeakMap<object, Map<string, Route>>();

/**
 * Records every route at its registration. This distinguishes an unknown path from a known path with the wrong
 * method.
 */
export function watchRoutes(server: FastifyInstance): void {
  const routes = new Map<string, Route>();
  tables.set(server.server, routes);
  server.addHook('onRoute', ({ url, method }) => {
    const path = url.replace(/\/$/, '') || '/';
    const route = routes.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() };
    for (const each of Array.isArray(method) ? method : [method]) route.methods.add(each);
    routes.set(path, route);
  });
}

/** The methods of the path of a URL; none for an unknown path. */
export function allowedMethods(server: FastifyInstance, url: string): string[] {
  const path = (url.split('?', 1)[0] ?? '').replace(/\/$/, '') || '/';
  const methods = [...(tables.get(server.server)?.values() ?? [])]
    .filter(({ pattern }) => pattern.test(path))
    .flatMap((route) => [...route.methods]);
  return [...new Set(methods)].sort();
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')))
    .join('/');
  return new RegExp(`^${source}$`);
}
