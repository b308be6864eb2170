// All limits: what each means, its decisions per second and since startup, and its number of keys.

import { $, either, el, keyed, put, show as visible, table } from './dom.js';
import { count, rate } from './format.js';

const kShown = 50;
/// Milliseconds over which decisions per second are measured.
const kSpan = 10000;
const before = [];
let all = false;
let again = () => {};

function rateOf(limit, what, look) {
  const from = before[0];
  const old = from?.counts.get(limit.limit);
  if (!old || look.at <= from.at) return null;
  return Math.max(0, (limit.decisions[what] - old[what]) * 1000 / (look.at - from.at));
}

function remember(look) {
  if (before.length > 0 && before[before.length - 1].at >= look.at) return;
  before.push({ at: look.at, counts: new Map(look.limits.limits.map((each) => [each.limit, each.decisions])) });
  while (before.length > 2 && before[1].at <= look.at - kSpan) before.shift();
}

function two(cell, a, b) {
  if (cell.children.length === 0) cell.append(el('span', { class: 'main' }), el('span', { class: 'under' }));
  put(cell.children[0], a);
  put(cell.children[1], b);
}

/// Shows the name and the meaning of a limit. The text `means` has one line for the limit, and one for each tier: its
/// name, two or more spaces, and its rates.
function nameLimit(cell, limit) {
  const [sentence, ...tiers] = limit.means.split('\n');
  two(cell, limit.limit, sentence);
  if (cell.children.length < 3) cell.append(el('dl', { class: 'pairs tiers' }));
  const pairs = tiers.map((line) => line.trim().match(/^(.*?)\s{2,}(.*)$/) ?? [line, line.trim(), '']);
  keyed(cell.children[2], pairs, ([, name]) => name, ([, name]) => el('div', {}, el('dt', { text: name }), el('dd')),
    (pair, [, , rates]) => put(pair.lastChild, rates));
  visible(cell.children[2], pairs.length > 0);
}

const perSecond = (number) => (number === null ? '–' : rate(number));

const whole = table('Limits', [
  { name: 'Limit', kind: 'name', change: nameLimit },
  { name: 'Mode', change: (cell, limit) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'tag' }), el('span', { class: 'tag' }));
    put(cell.children[0], limit.mode);
    cell.children[0].dataset.kind = limit.mode;
    put(cell.children[1], limit.store);
  } },
  { name: 'Allowed/s', kind: 'number', text: (limit) => perSecond(limit.rates.allowed) },
  { name: 'Rejected/s', kind: 'number strong', change: (cell, limit) => {
    put(cell, perSecond(limit.rates.rejected));
    cell.dataset.hot = limit.rates.rejected > 0 ? 'yes' : '';
  } },
  { name: 'Allowed', kind: 'number', text: (limit) => count(limit.decisions.allowed) },
  { name: 'Rejected', kind: 'number', change: (cell, limit) => {
    two(cell, count(limit.decisions.rejected),
      limit.decisions.observed > 0 ? `${count(limit.decisions.observed)} would have been` : '');
  } },
  { name: 'Keys', kind: 'number', text: (limit) => (limit.store === 'memory' ? count(limit.keys_in_memory) : '–') },
]);
const more = el('button', { type: 'button', class: 'plain', on: { click: () => { all = !all; again(); } } });
const body = el('div', {}, whole.whole, el('p', { class: 'more' }, more));

export function begin(redraw) {
  again = redraw;
  $('limits-find').addEventListener('input', redraw);
}

export function show(look) {
  remember(look);
  const wanted = $('limits-find').value.trim().toLowerCase();
  const rows = look.limits.limits
    .filter((each) => !wanted || each.limit.toLowerCase().includes(wanted) || each.means.toLowerCase().includes(wanted))
    .map((each) => ({ ...each, rates: { allowed: rateOf(each, 'allowed', look), rejected: rateOf(each, 'rejected', look) } }));
  // A short list keeps the order of the file; a long one begins with the busiest limits.
  if (rows.length > kShown)
    rows.sort((a, b) => b.decisions.rejected - a.decisions.rejected || b.decisions.allowed - a.decisions.allowed);
  put($('limits-count'), look.limits.limits.length ? count(look.limits.limits.length) : '');
  either($('limits-body'), body, rows.length > 0, wanted ? 'No limit matches.'
    : 'The configuration has no limits.');
  whole.update(all ? rows : rows.slice(0, kShown), (each) => each.limit);
  more.parentNode.hidden = rows.length <= kShown;
  put(more, all ? `Show the first ${kShown}` : `Show all ${count(rows.length)}`);
}
