// Every button does what it says.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, afterEach, before, test } from 'node:test';

import { kToken, open, sleep, Things, until } from './harness.js';
import * as scenes from './scenes.js';

const things = new Things();
let gateway;
let page;
before(async () => {
  ({ gateway } = await scenes.shop(things));
  const browser = await things.browser();
  await sleep(3000);
  page = await open(browser, gateway, { token: kToken });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});
after(() => things.end());
afterEach(() => page?.evaluate(() => document.getElementById('dialog').close()));

const field = (name) => page.getByLabel(name, { exact: true });
const press = (name) => page.getByRole('button', { name, exact: true }).click();
/// Presses a button of the dialog.
const say = (name) => page.locator('dialog').getByRole('button', { name, exact: true }).click();
const bans = async () => (await gateway.api('/api/v1/bans')).json.bans;
const overrides = async () => (await gateway.api('/api/v1/overrides')).json.overrides;
const closed = () => page.locator('dialog').waitFor({ state: 'hidden' });
const servers = async () => (await gateway.api('/api/v1/servers')).json.upstreams.find((each) => each.upstream === 'search').servers;

test('suspend suspends, and lift lifts', async () => {
  await press('Suspend 198.51.100.7 under search');
  await field('For').fill('5m');
  await say('Suspend');
  await closed();
  assert.equal((await bans()).filter((ban) => ban.key === '198.51.100.7' && ban.limit === 'search').length, 1);
  await press('Lift the suspension of 198.51.100.7');
  await say('Lift');
  await closed();
  assert.equal((await bans()).filter((ban) => ban.key === '198.51.100.7').length, 0);
});

test('override gives another size, and ending it takes that away', async () => {
  await press('Override 198.51.100.23 under search');
  await field('Rate').fill('300/minute');
  await field('For').fill('30m');
  await field('Why').fill('a test');
  await say('Override');
  await closed();
  const [row] = await overrides();
  assert.equal(row.key, '198.51.100.23');
  assert.equal(row.why, 'a test');
  await press('End the override of 198.51.100.23');
  await say('End it');
  await closed();
  assert.deepEqual(await overrides(), []);
});

test('a refusal is said in the words of the gateway, and nothing is changed', async () => {
  await press('Override 198.51.100.23 under search');
  await field('Rate').fill('many');
  await say('Override');
  await page.locator('dialog .problem').filter({ hasText: /./ }).waitFor();
  await say('Cancel');
  assert.deepEqual(await overrides(), []);
});

test('reset forgets what a key has used', async () => {
  const used = async () => (await gateway.api('/api/v1/limits/login/keys/203.0.113.66')).json.rules[0].used;
  await until(async () => await used() > 5, 'it has used some');
  await press('Reset 203.0.113.66 under login');
  await say('Reset');
  await closed();
  assert.ok(await used() <= 3);
});

test('copy as curl gives a command that works', async () => {
  await press('Copy as curl: 198.51.100.7 under search');
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.doesNotMatch(command, new RegExp(kToken));
  const answer = execFileSync('/bin/sh', ['-c', command], { env: { ...process.env, HEADGATE_ADMIN_TOKEN: kToken } });
  assert.equal(JSON.parse(answer).key, '198.51.100.7');
});

test('a dialog gives its change as a command that does the same', async () => {
  await press('Suspend 192.0.2.44 under search');
  await say('Copy as curl');
  const command = await page.evaluate(() => navigator.clipboard.readText());
  await say('Cancel');
  execFileSync('/bin/sh', ['-c', command], { env: { ...process.env, HEADGATE_ADMIN_TOKEN: kToken } });
  assert.equal((await bans()).filter((ban) => ban.key === '192.0.2.44').length, 1);
});

test('drain, down and up do so to a server, and the last one is not taken by mistake', async () => {
  const app = async () => (await gateway.api('/api/v1/servers')).json.upstreams.find((each) => each.upstream === 'app').servers;
  const { server } = (await app())[0];
  await press(`Drain ${server} of app`);
  await say('Drain');
  await closed();
  assert.deepEqual((await app())[0].out, ['drained']);
  await press(`Up ${server} of app`);
  await say('Put back');
  await closed();
  assert.equal((await app())[0].in, true);
  await press(`Down ${server} of app`);
  await say('Take down');
  await closed();
  assert.deepEqual((await app())[0].out, ['down']);
  await press(`Up ${server} of app`);
  await say('Put back');
  await closed();
  const [last] = await servers();
  await press(`Down ${last.server} of search`);
  await say('Take down');
  await page.locator('dialog').getByRole('button', { name: 'Take down anyway' }).waitFor();
  assert.equal((await servers())[0].in, true);
  await say('Take down anyway');
  await closed();
  assert.deepEqual((await servers())[0].out, ['down']);
  await press(`Up ${last.server} of search`);
  await say('Put back');
  await closed();
});

test('try a request says what would happen to it', async () => {
  await field('URL').fill('http://localhost/v1/search?q=x');
  await field('Client address').fill('127.0.0.1');
  await field('Headers, one per line').fill('X-Forwarded-For: 192.0.2.200');
  // The gateway needs a moment to use the server that was put back just now.
  await until(async () => {
    await press('Try the request');
    await sleep(300);
    return /^The request would pass/.test(await page.locator('#request-answer .verdict').innerText());
  }, 'the request would pass');
  const text = await page.locator('#request-answer').innerText();
  assert.match(text, /search \(\/v1\/search\)/);
  assert.match(text, /192\.0\.2\.200/);
});

test('try a policy compares it with live traffic, names its mistakes, and can be put in force or dropped', async () => {
  await press('Start from the policy in force');
  const text = field('A complete configuration');
  await until(async () => (await text.inputValue()).includes('"limits"'), 'the configuration in force');
  await text.fill('{ "listen": ":8080", "rutes": [] }');
  await press('Set as candidate');
  await page.locator('.mistakes').filter({ hasText: 'rutes' }).waitFor();
  const stricter = { ...gateway.config, limits: { ...gateway.config.limits, 'per-ip': { rate: '6/minute', per: 'client_ip' } } };
  await text.fill(JSON.stringify(stricter));
  await press('Set as candidate');
  const hit = page.locator('#candidate-body dl').filter({ hasText: 'newly rejected' });
  await until(async () => Number((await hit.locator('div').nth(1).innerText()).match(/newly rejected\s+(\d+)/)?.[1] ?? 0) > 0, 'somebody is hit');
  await page.locator('#candidate').getByRole('button', { name: 'Drop it' }).click();
  await say('Drop it');
  await closed();
  assert.equal((await gateway.api('/api/v1/candidate')).status, 404);
  await press('Set as candidate');
  await page.locator('#candidate').getByRole('button', { name: 'Put it in force' }).click();
  await say('Put it in force');
  await closed();
  assert.match((await gateway.api('/api/v1/limits/per-ip')).json.means, /6 requests/);
});

test('try a policy on the last minutes says which requests it would reject', async () => {
  await gateway.api('/api/v1/reload', { method: 'POST' });
  const stricter = { ...gateway.config, limits: { ...gateway.config.limits, 'per-ip': { rate: '6/minute', per: 'client_ip' } } };
  await field('A complete configuration').fill(JSON.stringify(stricter));
  await press('Replay the last minutes');
  const verdict = page.locator('#policy-answer .verdict');
  await verdict.waitFor();
  assert.match(await verdict.innerText(), /^Of [\d\u202f]+ requests, it would have rejected [1-9]/);
  const text = await page.locator('#policy-answer').innerText();
  assert.match(text, /203\.0\.113\.50/);
  assert.doesNotMatch(text, /added|removed/);  // The policy in force has the same limits.
  assert.equal((await gateway.api('/api/v1/candidate')).status, 404);
});

test('nothing was wrong in all of this', () => {
  assert.deepEqual(page.wrong, []);
});
