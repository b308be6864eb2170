// A sale begins: many visitors at once, one waiting room, two gateways. Each keeps what it was given and comes back when it is told to.
//   k6 run -e GATEWAYS=http://127.0.0.1:8080,http://127.0.0.1:8081 -e VISITORS=5000 tests/load/flash_sale.js
// The gateways run with conf/examples/flash-sale.json and share a Redis. All visitors here have one address, so start them with
// "per": [] in the room and without the limit per-ip.
import http from 'k6/http';
import { check, sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';
import exec from 'k6/execution';

const gateways = (__ENV.GATEWAYS || 'http://127.0.0.1:8080').split(',');
const visitors = Number(__ENV.VISITORS || 1000);

const admitted = new Counter('admitted');
const asked = new Counter('asked');
const waited = new Trend('waited', true);
const backwards = new Counter('position_went_back');

export const options = {
  scenarios: {
    sale: { executor: 'per-vu-iterations', vus: visitors, iterations: 1, maxDuration: '30m' },
  },
  thresholds: {
    checks: ['rate==1'],
    admitted: [`count==${visitors}`],
    position_went_back: ['count==0'],
  },
};

export default function () {
  const begun = Date.now();
  let ticket = '';
  let number = 0;
  for (let round = 0; ; round++) {
    const gateway = gateways[(exec.vu.idInTest + round) % gateways.length];
    const answer = http.get(`${gateway}/`, {
      headers: ticket ? { 'Waiting-Room-Ticket': ticket, Accept: 'application/json' } : { Accept: 'application/json' },
    });
    asked.add(1);
    ticket = answer.headers['Waiting-Room-Ticket'] || ticket;
    if (answer.status === 200) break;
    if (!check(answer, { 'waits or is in': (r) => r.status === 429 && r.headers['Retry-After'] !== undefined })) return;
    const now = Number(ticket.split('.')[1]);
    if (number && now > number) backwards.add(1);
    number = now;
    sleep(Number(answer.headers['Retry-After']));
  }
  admitted.add(1);
  waited.add(Date.now() - begun);
}
