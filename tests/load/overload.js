// More than the servers can take: what is answered stays near what they can do, and critical requests lose nothing.
// Start the gateway with conf/examples/overload.json before `headgate echo --listen :3000 --delay 30ms` (or your server),
// without the limit per-ip.
//   k6 run -e GATEWAY=http://127.0.0.1:8080 -e RATE=2000 tests/load/overload.js
import { check } from 'k6';
import http from 'k6/http';
import { Rate } from 'k6/metrics';
import { gateway } from './gateway.js';

http.setResponseCallback(http.expectedStatuses(200, 503));

const refused = new Rate('refused');
const refusedCritical = new Rate('refused_critical');
const rate = Number(__ENV.RATE || 2000);
const duration = __ENV.DURATION || '30s';

const arriving = (share, exec) => ({
  executor: 'constant-arrival-rate', // an open loop: a refused caller does not slow the next one down
  rate: Math.max(1, Math.round(rate * share)),
  timeUnit: '1s',
  duration,
  preAllocatedVUs: 100,
  maxVUs: 2000,
  exec,
});

export const options = {
  scenarios: {
    normal: arriving(0.9, 'normal'),
    low: arriving(0.08, 'low'),
    critical: arriving(0.02, 'critical'),
  },
  thresholds: {
    checks: ['rate==1'],
    refused_critical: ['rate==0'],
  },
};

function ask(path, metric) {
  const answer = http.get(`${gateway}${path}`);
  check(answer, {
    'is 200 or 503': (r) => r.status === 200 || r.status === 503,
    'a refusal says when to come back': (r) => r.status !== 503 || Number(r.headers['Retry-After']) >= 1,
  });
  metric.add(answer.status === 503);
}

export const normal = () => ask('/', refused);
export const low = () => ask('/search', refused);
export const critical = () => ask('/checkout/1', refusedCritical);
