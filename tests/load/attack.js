// An attack from some addresses: each is suspended after about ten seconds, and then costs next to nothing. Customers notice nothing.
// Start the gateway with conf/examples/abuse.json and "identity": { "trusted_proxies": ["127.0.0.1"] } (addresses come from
// X-Forwarded-For here) before `headgate echo --listen :3000` or your server.
//   k6 run -e GATEWAY=http://127.0.0.1:8080 -e ATTACKERS=50 tests/load/attack.js
// Several gateways that share a Redis stand behind one address, or in GATEWAYS with commas. Then another one may let an address pass
// for a second after its suspension.
import { check, sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Rate, Trend } from 'k6/metrics';
import { gateway } from './gateway.js';

http.setResponseCallback(http.expectedStatuses(200, 429));

// Of the limit per-ip in conf/examples/abuse.json: "300/minute", and its "ban".
const limit = { count: 300, perSecond: 5, bannedFor: 600 };

const gateways = (__ENV.GATEWAYS || gateway).split(',');
const attackers = Number(__ENV.ATTACKERS || 20);
const customers = Number(__ENV.CUSTOMERS || 20);
const rate = Number(__ENV.RATE || 40); // requests a second of each attacker; the limit scan rejects more than 50
const seconds = Number(__ENV.SECONDS || 30); // the suspension comes after 300 / (RATE - 5) seconds and 20 rejections
const settle = gateways.length > 1 ? 1000 : 0; // milliseconds until all gateways know of a suspension

const passed = new Counter('attack_passed');
const suspended = new Counter('attack_suspended');
const passedSuspended = new Counter('attack_passed_while_suspended');
const untilSuspended = new Trend('until_suspended', true);
const refusal = new Trend('refusal_of_suspended', true);
const served = new Rate('customers_served');

const callers = (vus, exec) => ({ executor: 'constant-vus', vus, duration: `${seconds}s`, exec });

export const options = {
  scenarios: { attack: callers(attackers, 'attack'), customers: callers(customers, 'customer') },
  thresholds: {
    checks: ['rate==1'],
    customers_served: ['rate==1'],
    attack_passed: [`count<=${attackers * (limit.count + limit.perSecond * seconds)}`],
    attack_suspended: ['count>0'],
    attack_passed_while_suspended: ['count==0'],
  },
};

const ask = (network, round) => {
  const id = exec.vu.idInTest;
  return http.get(`${gateways[(id + round) % gateways.length]}/`, {
    headers: { 'X-Forwarded-For': `${network}.${Math.floor(id / 250)}.${(id % 250) + 1}` },
  });
};
const isSuspension = (answer) => answer.status === 429 && answer.body.includes('suspended');

// Of this attacker: each VU has its own.
let begun = 0;
let since = 0;
let round = 0;

export function attack() {
  begun = begun || Date.now();
  const asked = Date.now();
  const answer = ask('198.18', round++);
  check(answer, { 'is 200 or 429': (r) => r.status === 200 || r.status === 429 });
  if (isSuspension(answer)) {
    const wait = Number(answer.headers['Retry-After']);
    check(answer, { 'says when it ends': () => wait >= 1 && wait <= limit.bannedFor });
    if (!since) {
      since = Date.now();
      untilSuspended.add(since - begun);
    }
    suspended.add(1);
    refusal.add(answer.timings.duration);
  } else if (answer.status === 200) {
    passed.add(1);
    if (since && asked > since + settle) passedSuspended.add(1);
  }
  sleep(1 / rate);
}

// One request a second: a fifth of what the limit allows.
export function customer() {
  const answer = ask('198.19', round++);
  served.add(answer.status === 200);
  sleep(1);
}
