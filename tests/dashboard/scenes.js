// Gateways in states that are worth looking at, each with traffic that brings it there.

/// A shop under load: limits in memory and in Redis, servers of which one fails, and a waiting room.
export async function shop(things, options = {}) {
  const redis = await things.redis();
  const [a, b, c, gone] = [await things.upstream(), await things.upstream(), await things.upstream(), 'http://127.0.0.1:9'];
  const gateway = await things.gateway({
    redis: { url: redis.url, timeout: '500ms' },  // This machine may be busy.
    identity: { trusted_proxies: ['127.0.0.1/32'] },
    log: { format: 'json' },
    upstreams: {
      app: { servers: [a, b, gone] },
      search: { servers: [c] },
    },
    limits: {
      'per-ip': { rate: '600/minute', per: 'client_ip' },
      search: { rate: '60/minute', burst: 20, per: 'client_ip', store: 'redis' },
      login: { rate: '10/minute', per: 'client_ip', ban: { after: 40, within: '1m', for: '10m' } },
      'all-of-it': { rate: '5000/second', per: 'total' },
      next: { rate: '5/second', per: 'client_ip', mode: 'observe' },
    },
    waiting_rooms: { sale: { rate: '1/second', visitors: 40, secret: 'a-secret-of-the-tests-and-long-enough' } },
    all_routes: { limits: ['per-ip', 'all-of-it'] },
    routes: [
      { name: 'search', path: '/v1/search', to: 'search', limits: ['search', 'next'] },
      { name: 'login', path: '/login', to: 'app', limits: ['login'] },
      { name: 'sale', path: '/sale', to: 'app', waiting_room: 'sale' },
      { name: 'everything', path: '/*', to: 'app' },
    ],
    ...options.config,
  }, options);
  const traffic = things.traffic(gateway, [
    { path: '/v1/items', from: '203.0.113.20', each: 120 }, { path: '/v1/items/slow', from: '203.0.113.21', each: 90 },
    { path: '/v1/search?q=a', from: '198.51.100.7', each: 130 }, { path: '/v1/search?q=b', from: '198.51.100.23', each: 260 },
    { path: '/v1/search?q=c', from: '192.0.2.44', each: 420 }, { path: '/login', from: '203.0.113.66', each: 700 },
    { path: '/login', from: '203.0.113.9', each: 240 }, { path: '/v1/fails', from: '203.0.113.30', each: 1500 },
    { path: '/v1/missing', from: '203.0.113.31', each: 700 }, { path: '/sale', from: '203.0.113.40', each: 600 },
    { path: '/v1/orders', from: '203.0.113.50', each: 60 },
  ]);
  return { gateway, redis, traffic };
}

/// A gateway without limits, upstreams or traffic.
export function empty(things, options = {}) {
  return things.gateway({ routes: [{ path: '/*', respond: { status: 204 } }] }, options);
}

/// A gateway with `count` limits, each with a route of its own.
export function many(things, count) {
  const limits = {};
  const routes = [];
  for (let i = 0; i < count; ++i) {
    limits[`limit-${i}`] = { rate: `${i + 1}/minute`, per: 'client_ip' };
    routes.push({ name: `route-${i}`, path: `/r${i}/*`, respond: { status: 204 }, limits: [`limit-${i}`] });
  }
  return things.gateway({ limits, routes });
}
