// The page before anybody signs in: its header fields, its size, and the files it names.

import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';

import { Things } from './harness.js';
import * as scenes from './scenes.js';

const things = new Things();
let gateway;
before(async () => { gateway = await scenes.empty(things); });
after(() => things.end());

const get = (path, headers = {}, options = {}) => fetch(gateway.url + path, { headers, ...options });

/// Returns all files that the page and its modules name, with their content.
async function allFiles() {
  const known = new Map([['/', await (await get('/')).text()]]);
  for (const open = ['/']; open.length > 0;) {
    const text = known.get(open.pop());
    const named = [...text.matchAll(/(?:src|href)="(\/dashboard\/[^"]+)"/g), ...text.matchAll(/from '\.\/([^']+)'/g)]
      .map((found) => (found[1].startsWith('/') ? found[1] : `/dashboard/${found[1]}`));
    for (const path of named) {
      if (known.has(path)) continue;
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      known.set(path, await answer.text());
      if (!path.endsWith('.min.js')) open.push(path);
    }
  }
  return known;
}

test('a browser gets the page without a token, and nothing may be added to it', async () => {
  const answer = await get('/', { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('Content-Type'), /^text\/html/);
  const policy = answer.headers.get('Content-Security-Policy');
  assert.match(policy, /^default-src 'none';/);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|https?:|\*/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(answer.headers.get('X-Content-Type-Options'), 'nosniff');
  assert.equal(answer.headers.get('Referrer-Policy'), 'no-referrer');
  assert.equal(answer.headers.get('Cache-Control'), 'no-cache');
});

test('whoever asks for no kind of answer gets the page too, and only who names JSON gets JSON', async () => {
  assert.match((await get('/', { Accept: '*/*' })).headers.get('Content-Type'), /^text\/html/);
  const json = await get('/', { Accept: 'application/json' });
  assert.equal(json.headers.get('Content-Type'), 'application/json');
  assert.deepEqual(await json.json(), { openapi: '/api/v1/openapi.json' });
});

test('the page and all that it needs are at most 400,000 bytes, and name no other host', async () => {
  const files = await allFiles();
  assert.ok(files.size > 15);
  const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  assert.ok(bytes <= 400_000, `${bytes} bytes`);
  for (const [path, text] of files)
    for (const [, target] of text.matchAll(/\b(?:src|href)\s*=\s*["']([^"']*)["']/g))
      assert.doesNotMatch(target, /^(?:[a-z]+:)?\/\//i, `${path} names ${target}`);
});

test('a file that has not changed is not sent again', async () => {
  const first = await get('/dashboard/main.js');
  assert.match(first.headers.get('Content-Type'), /^text\/javascript/);
  const again = await get('/dashboard/main.js', { 'If-None-Match': first.headers.get('ETag') });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), '');
});

test('the licence of the library that draws the plots is there', async () => {
  assert.match(await (await get('/dashboard/dygraphs.txt')).text(), /Dan Vanderkam/);
});

test('without a token the page is all there is', async () => {
  for (const path of ['/api/v1/live', '/api/v1/role', '/api/v1/rooms', '/api/v1/traffic/history', '/api/v1/config/places'])
    assert.equal((await get(path)).status, 401, path);
  assert.equal((await get('/dashboard/none.js')).status, 404);
});

/// Returns the status of a request that has the header fields a browser would send.
function sent(url, method, path, headers, body) {
  return new Promise((done, failed) => {
    const { hostname, port } = new URL(url);
    const request = http.request({ hostname, port, method, path, headers }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    });
    request.on('error', failed);
    request.end(body);
  });
}

test('a page from elsewhere can neither ask nor change anything, and without a token this one can only ask', async () => {
  const open = await scenes.empty(things, { tokens: false });
  const question = JSON.stringify({ url: 'http://a.example/' });
  const explain = (headers) => sent(open.url, 'POST', '/api/v1/explain', headers, question);
  assert.equal(await explain({ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://a.example' }), 403);
  assert.equal(await explain({ 'Sec-Fetch-Site': 'same-site', Origin: 'https://a.example' }), 403);
  assert.equal(await explain({ 'Sec-Fetch-Site': 'same-origin', Origin: open.url }), 200);
  assert.equal(await explain({ 'Sec-Fetch-Site': 'same-origin', Origin: 'http://a.example', Host: 'a.example' }), 403);
  assert.equal(await sent(open.url, 'GET', '/api/v1/live', { 'Sec-Fetch-Site': 'same-origin', Host: 'a.example' }), 403);
  assert.equal(await sent(open.url, 'PUT', '/api/v1/log-level', { 'Sec-Fetch-Site': 'same-origin' }, '{"level":"debug"}'), 403);
  assert.equal(await sent(open.url, 'OPTIONS', '/api/v1/log-level', { Origin: 'https://a.example' }), 403);
});
