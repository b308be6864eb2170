// Many callers, each below its limit: nobody is rejected, and the gateway adds little time.
//   k6 run -e GATEWAY=http://127.0.0.1:8080 -e RATE=200 -e CALLERS=1000 tests/load/steady.js
import { Rate } from 'k6/metrics';
import exec from 'k6/execution';
import { ask } from './gateway.js';

const callers = Number(__ENV.CALLERS || 1000);
const refused = new Rate('refused');

export const options = {
  scenarios: {
    steady: {
      executor: 'constant-arrival-rate', // an open loop: a slow answer does not slow the next request down
      rate: Number(__ENV.RATE || 200),
      timeUnit: '1s',
      duration: __ENV.DURATION || '30s',
      preAllocatedVUs: 50,
      maxVUs: 500,
    },
  },
  thresholds: {
    checks: ['rate==1'],
    refused: ['rate==0'],
    http_req_duration: [`p(99)<${__ENV.P99 || 50}`], // milliseconds
    dropped_iterations: ['count==0'],
  },
};

export default function () {
  refused.add(ask('/steady', `caller-${exec.scenario.iterationInTest % callers}`).status === 429);
}
