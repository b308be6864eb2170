// Measures what open pages cost the gateway.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';

import { kToken, open, sleep, Things } from './harness.js';
import * as scenes from './scenes.js';

const kTicks = 100;  // per second
const things = new Things();
after(() => things.end());

/// Returns the CPU seconds that the whole process has used.
function used(gateway) {
  const fields = readFileSync(`/proc/${gateway.child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / kTicks;
}

async function shareOf(gateway, seconds) {
  const before = used(gateway);
  await sleep(seconds * 1000);
  return (used(gateway) - before) / seconds;
}

/// Limits some callers, so that the page has something to show and to ask for.
async function limited(things) {
  const gateway = await things.gateway({
    limits: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`limit-${i}`, { rate: '1/hour', per: 'client_ip' }])),
    identity: { trusted_proxies: ['127.0.0.1/32'] },
    routes: [{ path: '/*', respond: { status: 204 }, limits: Array.from({ length: 20 }, (_, i) => `limit-${i}`) }] });
  for (let i = 0; i < 60; ++i)
    await fetch(`http://127.0.0.1:${gateway.port}/`, { headers: { 'X-Forwarded-For': `192.0.2.${i % 15}` } });
  return gateway;
}

test('ten open pages cost at most a hundredth of a core', { skip: process.env.HEADGATE_TEST_COSTS === 'no' }, async () => {
  const gateway = await limited(things);
  const browser = await things.browser();
  const idle = await shareOf(gateway, 10);
  const pages = [];
  for (let i = 0; i < 10; ++i) {
    const page = await open(browser, gateway, { token: kToken });
    await page.locator('#callers').scrollIntoViewIfNeeded();
    pages.push(page);
  }
  await sleep(3000);
  const open10 = await shareOf(gateway, 30);
  console.log(`idle ${(idle * 100).toFixed(2)} %, ten pages ${(open10 * 100).toFixed(2)} % of a core`);
  assert.ok(open10 - idle <= 0.01, `${((open10 - idle) * 100).toFixed(2)} %`);
  for (const page of pages) assert.deepEqual(page.wrong, []);
});

test('a thousand limits make the looks seldom, not the gateway busy', { skip: process.env.HEADGATE_TEST_COSTS === 'no' }, async () => {
  const gateway = await scenes.many(things, 1000);
  const browser = await things.browser();
  const idle = await shareOf(gateway, 10);
  for (let i = 0; i < 10; ++i) await open(browser, gateway, { token: kToken });
  const open10 = await shareOf(gateway, 30);
  console.log(`idle ${(idle * 100).toFixed(2)} %, ten pages ${(open10 * 100).toFixed(2)} % of a core`);
  assert.ok(open10 - idle <= 0.01, `${((open10 - idle) * 100).toFixed(2)} %`);
});
