// Traffic: figures of the last ten seconds, and plots of the last 15 minutes.

import { $, el, keyed, put } from './dom.js';
import { minute, rate, took } from './format.js';
import { Plot } from './plot.js';

const kStatuses = [['2xx', '--s2'], ['3xx', '--s3'], ['4xx', '--s4'], ['429', '--s429'], ['5xx', '--s5']];
const kTimes = [['p50', '--t50'], ['p95', '--t95'], ['p99', '--t99'], ['gateway p95', '--town']];
const kQuarter = 15 * 60 * 1000;
let rates = null;
let times = null;
let drawn = '';

function figuresOf(total) {
  const status = total.statuses_per_second;
  const one = (name, text, unit, kind) => ({ name, text, unit, kind });
  return [one('requests', rate(total.requests_per_second), '/s'),
    one('2xx', rate(status['2xx']), '/s', 's2'),
    one('4xx', rate(status['4xx']), '/s', 's4'),
    one('429', rate(status['429']), '/s', 's429'),
    one('5xx', rate(status['5xx']), '/s', 's5'),
    one('p50', took(total.seconds?.p50), ''), one('p95', took(total.seconds?.p95), ''),
    one('p99', took(total.seconds?.p99), ''), one('gateway, p95', took(total.own_seconds?.p95), '')];
}

function summary(rows) {
  if (rows.length === 0) return 'There is no data yet.';
  const highest = Math.max(...rows.map((row) => row.requests_per_second));
  const now = rows[rows.length - 1];
  return `Requests per second: ${rate(now.requests_per_second)} now, at most ${rate(highest)}. `
    + `Rejected with 429 or 402: ${rate(now.statuses_per_second['429'])} now.`;
}

function minutesOf(rows) {
  const out = new Map();
  for (const row of rows) {
    const at = Math.floor(Date.parse(row.end) / 60000) * 60000;
    if (!out.has(at)) out.set(at, []);
    out.get(at).push(row);
  }
  return [...out].reverse().map(([at, some]) => {
    const mean = (of) => some.reduce((sum, row) => sum + of(row), 0) / some.length;
    const most = (of) => some.reduce((high, row) => Math.max(high, of(row) ?? 0), 0) || null;
    return [minute(at), rate(mean((row) => row.requests_per_second)),
      ...kStatuses.map(([name]) => rate(mean((row) => row.statuses_per_second[name] ?? 0))),
      took(most((row) => row.seconds?.p50)), took(most((row) => row.seconds?.p95)),
      took(most((row) => row.seconds?.p99)), took(most((row) => row.own_seconds?.p95))];
  });
}

/// Creates a table with the data of the plots, for people who cannot see them.
function asTable(rows) {
  const names = ['From', 'Requests/s', ...kStatuses.map(([name]) => name), 'p50', 'p95', 'p99', 'gateway p95'];
  return el('table', {}, el('caption', { class: 'unseen', text: 'Traffic per minute; durations are the highest of the minute' }),
    el('thead', {}, el('tr', {}, ...names.map((name) => el('th', { scope: 'col', class: 'number', text: name })))),
    el('tbody', {}, ...minutesOf(rows).map((cells) => el('tr', {}, ...cells.map((cell, i) =>
      el(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: 'number', text: cell }))))));
}

export function show(look) {
  keyed($('figures'), figuresOf(look.traffic.total), (each) => each.name,
    (each) => el('div', { class: each.kind ?? '' }, el('dt', { text: each.name }), el('dd')),
    (node, each) => {
      put(node.lastChild, each.text + each.unit);
      node.dataset.zero = each.text === '0' ? 'yes' : '';
    });
  const rows = look.history.rows;
  const key = rows.length === 0 ? 'none' : rows[rows.length - 1].end;
  if (key === drawn) return;
  drawn = key;
  if (!rates) {
    rates = new Plot($('rates-plot'), $('rates-legend'), kStatuses, { stacked: true, text: rate });
    times = new Plot($('times-plot'), $('times-legend'), kTimes, { stacked: false, text: (s) => took(s) });
  }
  const end = Math.max(look.at, rows.length ? Date.parse(rows[rows.length - 1].end) : 0);
  const window = [end - kQuarter, end];
  rates.draw(rows.map((row) => [new Date(row.end), ...kStatuses.map(([name]) => row.statuses_per_second[name] ?? 0)]),
    window, summary(rows));
  times.draw(rows.map((row) => [new Date(row.end), row.seconds?.p50 ?? null, row.seconds?.p95 ?? null,
    row.seconds?.p99 ?? null, row.own_seconds?.p95 ?? null]), window, 'Durations of requests: see the table below.');
  $('traffic-table').replaceChildren(asTable(rows));
}
