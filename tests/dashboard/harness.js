// Starts a real gateway with servers, Redis and traffic, and opens the dashboard in a real browser.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

export const binary = process.env.HEADGATE_BINARY
  ?? new URL('../../build/release/headgate', import.meta.url).pathname;
export const kToken = 'an-operators-token-of-the-tests';
export const kReadToken = 'a-readers-token-of-the-tests';
const kBrowsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

/// Waits until `what` returns something truthy, and returns that.
export async function until(what, why, ms = 15000) {
  const end = Date.now() + ms;
  for (;;) {
    const got = await what();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited in vain: ${why}`);
    await sleep(50);
  }
}

export function freePort() {
  return new Promise((done) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/// Ends everything that a test has started, the last one first.
export class Things {
  #ends = [];

  add(end) { this.#ends.push(end); }

  async end() {
    for (const end of this.#ends.reverse()) await end();
    this.#ends = [];
  }

  folder() {
    const path = mkdtempSync(join(tmpdir(), 'headgate-dashboard-'));
    this.add(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  run(command, words, options = {}) {
    const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'], ...options });
    child.said = '';
    child.stderr.on('data', (bytes) => { child.said = (child.said + bytes).slice(-20000); });
    const ended = new Promise((done) => { child.on('exit', done); });
    child.end = async (signal = 'SIGKILL') => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    };
    this.add(() => child.end());
    return child;
  }

  /// A server that answers /slow after a delay, /fails with 500, /missing with 404, and everything else with 200.
  async upstream() {
    const server = http.createServer((request, reply) => {
      const path = request.url.split('?')[0];
      const status = path.endsWith('/fails') ? 500 : path.endsWith('/missing') ? 404 : 200;
      setTimeout(() => reply.writeHead(status, { 'Content-Type': 'text/plain' }).end('hello\n'),
        path.endsWith('/slow') ? 80 + Math.random() * 120 : 1 + Math.random() * 6);
    });
    await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
    this.add(() => { server.closeAllConnections(); server.close(); });
    return `http://127.0.0.1:${server.address().port}`;
  }

  async redis() {
    const port = await freePort();
    const begin = async () => {
      const child = this.run('/usr/bin/redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1',
        '--dir', this.folder()]);
      await until(() => connects(port), 'Redis');
      return child;
    };
    const out = { url: `redis://127.0.0.1:${port}`, child: await begin() };
    out.stop = () => out.child.end();
    out.start = async () => { out.child = await begin(); };
    return out;
  }

  /// Starts a gateway with this configuration; `listen` and `admin` are added. `tokens`: whether the admin interface
  /// has tokens.
  async gateway(config, { tokens = true, ready = true } = {}) {
    const [port, admin] = [await freePort(), await freePort()];
    const file = join(this.folder(), 'headgate.json');
    const whole = { listen: `127.0.0.1:${port}`, instance: 'edge-1', workers: 1,
      admin: { listen: `127.0.0.1:${admin}`, ...(tokens ? { token: kToken, read_token: kReadToken } : {}) }, ...config };
    writeFileSync(file, JSON.stringify(whole, null, 2));
    const child = this.run(binary, ['run', '-c', file], { env: { ...process.env, STATE_DIRECTORY: this.folder() } });
    const out = { child, port, file, config: whole, url: `http://127.0.0.1:${admin}` };
    out.write = (text) => writeFileSync(file, text);
    out.api = async (path, options = {}) => {
      const answer = await fetch(out.url + path, { ...options,
        headers: { ...(tokens ? { Authorization: `Bearer ${kToken}` } : {}), ...options.headers } });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, text, json: text.startsWith('{') ? JSON.parse(text) : null };
    };
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the gateway has ended: ${child.said}`);
      return fetch(`${out.url}/readyz`).then((answer) => !ready || answer.ok, () => false);
    }, 'the gateway');
    return out;
  }

  /// Sends requests until the end. Each of `kinds` is {path, from (client address), each (milliseconds between two)}.
  traffic(gateway, kinds) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
    const counts = {};
    const send = ({ path, from, headers = {}, method = 'GET' }) => {
      const request = http.request({ port: gateway.port, host: '127.0.0.1', path, method, agent,
        headers: { 'X-Forwarded-For': from ?? '203.0.113.1', ...headers } }, (reply) => {
        counts[reply.statusCode] = (counts[reply.statusCode] ?? 0) + 1;
        reply.resume();
      });
      request.on('error', () => {});
      request.end();
    };
    const timers = kinds.map((kind) => setInterval(send, kind.each, kind));
    const stop = () => { timers.forEach(clearInterval); agent.destroy(); };
    this.add(stop);
    return { counts, stop };
  }

  async browser() {
    const found = kBrowsers.find(existsSync);
    const browser = await chromium.launch({ executablePath: found, args: ['--no-sandbox'] });
    this.add(() => browser.close());
    return browser;
  }
}

function connects(port) {
  return new Promise((done) => {
    const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); done(true); });
    socket.on('error', () => done(false));
  });
}

/// Opens the dashboard. `page.wrong` collects what no page may have: console errors, and requests to other hosts.
export async function open(browser, gateway, { token, width = 1280, height = 900, dark = false, looks = 1 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.wrong = [];
  page.asked = [];
  page.on('console', (message) => {
    // The browser logs each refusal by itself. A refusal is how a page learns that it needs a token.
    if (message.type() === 'error' && !/status of 40[0-9]|status of 422|status of 429/.test(message.text())) page.wrong.push(message.text());
    if (message.type() === 'warning') page.wrong.push(message.text());
  });
  page.on('pageerror', (error) => page.wrong.push(String(error.stack)));
  page.on('request', (request) => {
    page.asked.push(`${request.method()} ${request.url()}`);
    if (!request.url().startsWith(gateway.url)) page.wrong.push(`asked elsewhere: ${request.url()}`);
  });
  if (process.env.DASHBOARD_FILES) await fromDisk(page, process.env.DASHBOARD_FILES);
  await page.goto(gateway.url);
  if (token) {
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }
  if (looks > 0) await waitForLooks(page, looks);
  return page;
}

/// Serves the files of `folder` in place of those in the binary, so that the page can be edited without a build.
async function fromDisk(page, folder) {
  await page.route(/\/dashboard\/|:\d+\/$/, async (route) => {
    const name = new URL(route.request().url()).pathname.split('/').pop() || 'index.html';
    const path = join(folder, name);
    const answer = await route.fetch({ url: new URL(`/dashboard/${name}`, route.request().url()).href });
    return route.fulfill(existsSync(path) ? { response: answer, body: readFileSync(path) } : { response: answer });
  });
}

export function waitForLooks(page, looks) {
  return page.waitForFunction((n) => Number(document.documentElement.dataset.looks ?? 0) >= n, looks, { timeout: 15000 });
}

/// Waits for `more` further looks.
export async function moreLooks(page, more = 1) {
  const now = await page.evaluate(() => Number(document.documentElement.dataset.looks ?? 0));
  await waitForLooks(page, now + more);
}
