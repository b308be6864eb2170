// Runs each script of this folder against real gateways: its thresholds hold, and do not where they should not. With k6 if it is
// installed, else with k6/run.js.
//   node try.js HEADGATE [SCRIPT...]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [binary, ...only] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const place = mkdtempSync(join(tmpdir(), 'headgate-load-'));
const children = [];
const k6 = spawnSync('k6', ['version']).status === 0;

const freePort = () => new Promise((done) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});
const listens = (port) => new Promise((done) => {
  const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); done(true); });
  socket.on('error', () => done(false));
});

/// A process that is to listen there.
async function begin(port, command, words, env = {}) {
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  child.stderr.on('data', (bytes) => { said = (said + bytes).slice(-5000); });
  const ended = new Promise((done) => { child.on('exit', done); });
  children.push(() => { child.kill('SIGTERM'); return ended; });
  for (let i = 0; i < 600 && child.exitCode === null; i += 1) {
    if (await listens(port)) return;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  throw new Error(`${command} ${words.join(' ')} does not listen: ${said}`);
}

const endAll = async () => { for (const end of children.splice(0).reverse()) await end(); };

async function echo(...words) {
  const port = await freePort();
  await begin(port, binary, ['echo', '--listen', `127.0.0.1:${port}`, ...words]);
  return `http://127.0.0.1:${port}`;
}

/// JSON with comments and trailing commas.
function read(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, '$1').replace(/,(\s*[\]}])/g, '$1'));
}

/// A gateway with this configuration, with its own addresses.
async function gateway(config) {
  const port = await freePort();
  const file = join(place, `${port}.json`);
  writeFileSync(file, JSON.stringify({ ...config, $schema: undefined, listen: `127.0.0.1:${port}`, admin: undefined,
    log: { access: 'off' } }));
  await begin(port, binary, ['run', '-c', file]);
  return `http://127.0.0.1:${port}`;
}

async function proxy(rate) {
  const [port, to] = [await freePort(), await echo()];
  await begin(port, binary, ['proxy', '--to', to, '--limit', rate, '--per', 'header:X-API-Key', '--listen', `127.0.0.1:${port}`,
    '--admin', 'off']);
  return `http://127.0.0.1:${port}`;
}

function run(script, env) {
  const words = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const [command, ...first] = k6 ? ['k6', 'run', '--quiet'] : [process.execPath, join(here, 'k6/run.js')];
  const child = spawn(command, [...first, ...words, join(here, script)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => { out += bytes; });
  return new Promise((done) => { child.on('exit', (code) => done({ code, out })); });
}

const abuse = async (url) => ({ ...read('conf/examples/abuse.json'), upstreams: { app: url }, identity: { trusted_proxies: ['127.0.0.1'] } });
// Sees nothing in the summary of a real k6, whose form is another.
const seen = (out, form) => k6 || form.test(out);

const tries = {
  async 'steady.js'() {
    const url = await proxy('10/second');
    return [await run('steady.js', { GATEWAY: url, RATE: 30, CALLERS: 100, DURATION: '3s', P99: 2000 }), 0];
  },
  async 'steady.js where callers are rejected'() {
    const url = await proxy('1/second');
    return [await run('steady.js', { GATEWAY: url, RATE: 50, CALLERS: 2, DURATION: '2s' }), 99];
  },
  async 'burst.js'() {
    const url = await proxy('10/second');
    return [await run('burst.js', { GATEWAY: url, FLOOD: 100, RATE: 20, DURATION: '4s' }), 0, /flood_refused: [1-9]/];
  },
  async 'burst.js where nobody is'() {
    const url = await proxy('10000/second');
    return [await run('burst.js', { GATEWAY: url, FLOOD: 100, RATE: 20, DURATION: '2s' }), 99];
  },
  async 'attack.js'() {
    const url = await gateway(await abuse(await echo()));
    return [await run('attack.js', { GATEWAY: url, ATTACKERS: 2, CUSTOMERS: 3, RATE: 60, SECONDS: 14 }), 0, /attack_suspended: [1-9]/];
  },
  async 'attack.js where nobody is suspended'() {
    const config = await abuse(await echo());
    for (const limit of Object.values(config.limits)) delete limit.ban;
    return [await run('attack.js', { GATEWAY: await gateway(config), ATTACKERS: 2, CUSTOMERS: 2, SECONDS: 3 }), 99];
  },
  async 'overload.js'() {
    const config = read('conf/examples/overload.json');
    config.upstreams = { app: { servers: [await echo('--delay', '50ms')], concurrency: { adaptive: false, in_flight: 8, reserved: '25%' } } };
    config.identity = { trusted_proxies: ['10.0.0.0/8'] };
    delete config.limits;
    delete config.all_routes;
    return [await run('overload.js', { GATEWAY: await gateway(config), RATE: 200, DURATION: '3s' }), 0, /refused: [1-9]/];
  },
  async 'flash_sale.js'() {
    if (spawnSync('redis-server', ['--version']).status !== 0) return null;
    const redis = await freePort();
    await begin(redis, 'redis-server', ['--port', redis, '--bind', '127.0.0.1', '--save', '', '--dir', place]);
    const config = read('conf/examples/flash-sale.json');
    config.redis.url = `redis://127.0.0.1:${redis}`;
    config.upstreams = { shop: await echo() };
    config.waiting_rooms.sale = { ...config.waiting_rooms.sale, rate: '4/second', per: [], secret: 'a-secret-of-this-test-that-is-long-enough' };
    delete config.limits;
    delete config.all_routes;
    for (const route of config.routes) delete route.skip_limits;
    const gateways = [await gateway(config), await gateway(config)];
    return [await run('flash_sale.js', { GATEWAYS: gateways.join(), VISITORS: 20 }), 0, /admitted: 20/];
  },
};

let failures = 0;
try {
  for (const [name, attempt] of Object.entries(tries)) {
    if (only.length > 0 && !only.some((word) => name.startsWith(word))) continue;
    const result = await attempt();
    await endAll();
    if (!result) {
      console.log(`skipped  ${name}: redis-server is not installed`);
      continue;
    }
    const [{ code, out }, wanted, form] = result;
    const well = code === wanted && (!form || seen(out, form));
    console.log(`${well ? 'ok      ' : 'FAILED  '} ${name}`);
    if (!well) console.log(`exit code ${code}, not ${wanted}${form ? `, or nothing of ${form}` : ''}\n${out}`);
    failures += well ? 0 : 1;
  }
} finally {
  await endAll();
  rmSync(place, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
