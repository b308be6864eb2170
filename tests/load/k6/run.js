// Runs a script of k6 on Node, for machines without k6: as much of it as the scripts of tests/load use, and an error for the rest. Each VU
// is a thread, so it is slow where k6 is not; it says whether a script is true, not how fast a gateway is.
//   node run.js [-e NAME=VALUE]... SCRIPT      exit code 99, as of k6: a threshold does not hold
import http from 'node:http';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';

import { broken, Metrics } from './thresholds.js';

const here = dirname(fileURLToPath(import.meta.url));
const kMaxThreads = 24; // of one scenario with arrivals
const env = {};
let script = '';
for (let i = 2; i < process.argv.length; i += 1) {
  if (process.argv[i] === '-e') {
    const [name, ...value] = process.argv[i += 1].split('=');
    env[name] = value.join('=');
  } else script = process.argv[i];
}

const metrics = new Metrics();
const agent = new http.Agent({ keepAlive: true });
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });
const milliseconds = (text) => {
  const [, number, unit] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
  if (!unit) throw new Error(`a time that is not understood: ${text}`);
  return number * { ms: 1, s: 1000, m: 60000 }[unit];
};

// Go's, in which k6 names fields: "X-RateLimit-Limit" is "X-Ratelimit-Limit".
const canonical = (name) => name.toLowerCase().replace(/(^|-)([a-z])/g, (all, dash, letter) => dash + letter.toUpperCase());

function request({ url, headers }) {
  const begun = performance.now();
  const timings = () => ({ duration: performance.now() - begun });
  return new Promise((done) => {
    const asked = http.get(url, { agent, headers }, (reply) => {
      const pieces = [];
      reply.on('data', (piece) => pieces.push(piece));
      reply.on('error', (error) => done({ status: 0, body: '', headers: {}, error: String(error), timings: timings() }));
      reply.on('end', () => {
        const fields = {};
        for (let i = 0; i < reply.rawHeaders.length; i += 2) {
          const name = canonical(reply.rawHeaders[i]);
          fields[name] = fields[name] === undefined ? reply.rawHeaders[i + 1] : `${fields[name]}, ${reply.rawHeaders[i + 1]}`;
        }
        done({ status: reply.statusCode, body: Buffer.concat(pieces).toString(), headers: fields, timings: timings() });
      });
    });
    asked.on('error', (error) => done({ status: 0, body: '', headers: {}, error: String(error), timings: timings() }));
  });
}

let vus = 0;
const workers = new Set();
const wrong = [];

/// A thread that has loaded the script. run() resolves when the iteration has ended.
class Vu {
  constructor(path) {
    const { port1, port2 } = new MessageChannel();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    this.worker = new Worker(new URL('file://' + join(dirname(path), 'node_modules/k6/worker.js')),
      { workerData: { script: pathToFileURL(path).href, vu: vus += 1, env, flag, port: port2 }, transferList: [port2] });
    workers.add(this.worker);
    this.ready = new Promise((done) => { this.idle = done; });
    this.worker.on('message', (said) => {
      if (said.record) metrics.add(said);
      if (said.threw) wrong.push(said.threw);
      if (said.idle) this.idle();
      if (said.ask)
        request(said.ask).then((answer) => {
          port1.postMessage(answer);
          Atomics.store(flag, 0, 1);
          Atomics.notify(flag, 0);
        });
    });
    this.worker.on('error', (error) => { wrong.push(String(error.stack)); this.idle(); });
  }

  async run(name, iteration) {
    await this.ready;
    this.ready = new Promise((done) => { this.idle = done; });
    this.worker.postMessage({ run: name, iteration });
    await this.ready;
  }
}

const only = (options, known) => {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw new Error(`an option that is not understood: ${key}`);
};

const executors = {
  async 'constant-arrival-rate'(path, options) {
    only(options, ['executor', 'exec', 'rate', 'timeUnit', 'duration', 'preAllocatedVUs', 'maxVUs']);
    const most = Math.min(options.maxVUs, kMaxThreads);
    const free = Array.from({ length: Math.min(options.preAllocatedVUs, 4) }, () => new Vu(path));
    await Promise.all(free.map((vu) => vu.ready));
    let made = free.length;
    const busy = new Set();
    const [gap, begun] = [milliseconds(options.timeUnit) / options.rate, performance.now()];
    for (let iteration = 0; iteration * gap < milliseconds(options.duration); iteration += 1) {
      const wait = begun + iteration * gap - performance.now();
      if (wait > 0) await sleep(wait);
      if (free.length === 0 && made < most) {
        made += 1;
        free.push(new Vu(path));
      }
      const vu = free.pop();
      if (!vu) {
        metrics.add({ record: 'dropped_iterations', kind: 'counter', value: 1 });
        continue;
      }
      const run = vu.run(options.exec ?? 'default', iteration).then(() => { busy.delete(run); free.push(vu); });
      busy.add(run);
    }
    await Promise.all(busy);
  },

  async 'constant-vus'(path, options) {
    only(options, ['executor', 'exec', 'vus', 'duration']);
    const all = Array.from({ length: options.vus }, () => new Vu(path));
    await Promise.all(all.map((vu) => vu.ready));
    const end = performance.now() + milliseconds(options.duration);
    let iteration = 0;
    await Promise.all(all.map(async (vu) => {
      while (performance.now() < end) await vu.run(options.exec ?? 'default', iteration++);
    }));
  },

  async 'per-vu-iterations'(path, options) {
    only(options, ['executor', 'exec', 'vus', 'iterations', 'maxDuration']);
    const all = Array.from({ length: options.vus }, () => new Vu(path));
    await Promise.race([sleep(milliseconds(options.maxDuration)).then(() => wrong.push('maxDuration is over')),
      Promise.all(all.map(async (vu) => {
        for (let i = 0; i < options.iterations; i += 1) await vu.run(options.exec ?? 'default', i);
      }))]);
  },
};

// The scripts find "k6" beside them, as a package.
const place = mkdtempSync(join(tmpdir(), 'headgate-k6-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
for (const file of readdirSync(dirname(script)).filter((name) => name.endsWith('.js'))) cpSync(join(dirname(script), file), join(place, file));
writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
cpSync(here, join(place, 'node_modules/k6'), { recursive: true });

process.env.K6_ENV = JSON.stringify(env);
const path = join(place, basename(script));
const { options } = await import(pathToFileURL(path).href);
only(options, ['scenarios', 'thresholds']);
metrics.add({ record: 'dropped_iterations', kind: 'counter' });
await Promise.all(Object.values(options.scenarios).map((scenario) => {
  if (!executors[scenario.executor]) throw new Error(`an executor that is not understood: ${scenario.executor}`);
  return executors[scenario.executor](path, scenario);
}));
console.log(metrics.summary());
const failed = broken(options.thresholds, metrics);
for (const each of [...new Set(wrong), ...failed]) console.error(each);
process.exit(wrong.length > 0 ? 1 : failed.length > 0 ? 99 : 0);
