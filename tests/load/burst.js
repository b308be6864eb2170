// One caller far above its limit, and many below theirs: only the one is rejected.
//   k6 run -e GATEWAY=http://127.0.0.1:8080 tests/load/burst.js
// The limit must count by X-API-Key, as in conf/demo/policy.json; under a limit per client_ip all callers here are one.
import { Rate } from 'k6/metrics';
import exec from 'k6/execution';
import { ask } from './gateway.js';

const floodRefused = new Rate('flood_refused');
const othersRefused = new Rate('others_refused');

const duration = __ENV.DURATION || '20s';

function arrivals(name, rate) {
  return { executor: 'constant-arrival-rate', exec: name, rate, timeUnit: '1s', duration, preAllocatedVUs: 50, maxVUs: 500 };
}

export const options = {
  scenarios: {
    flood: arrivals('flood', Number(__ENV.FLOOD || 1000)),
    others: arrivals('others', Number(__ENV.RATE || 50)),
  },
  thresholds: {
    checks: ['rate==1'],
    flood_refused: ['rate>0.5'],
    others_refused: ['rate==0'],
  },
};

export function flood() {
  floodRefused.add(ask('/burst', 'flood').status === 429);
}

export function others() {
  othersRefused.add(ask('/burst', `caller-${exec.scenario.iterationInTest % 1000}`).status === 429);
}
