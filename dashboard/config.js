// The configuration in force: each value with the place where it is written.

import { $, either, el, put } from './dom.js';
import { count } from './format.js';
import { call, Refusal } from './session.js';

const kShown = 400;
const list = el('table', { class: 'config' });
const more = el('p', { class: 'quiet more' });
const body = el('div', {}, list, more);
let shown = '';
let rows = [];

const escaped = (key) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/// Collects each scalar and each empty object or list, with its path in words and its place.
function flatten(value, pointer, words, places, out) {
  const inner = value !== null && typeof value === 'object';
  const entries = inner ? Object.entries(value) : [];
  if (inner && entries.length > 0) {
    for (const [key, each] of entries)
      flatten(each, `${pointer}/${escaped(key)}`, Array.isArray(value) ? `${words}[${key}]` : words ? `${words}.${key}` : key,
        places, out);
    return;
  }
  out.push({ path: words, value: JSON.stringify(value), place: places[pointer] ?? placeAbove(pointer, places) });
}

/// Returns the place of the list for a value that the file writes in short form, without its list; "" for a default.
function placeAbove(pointer, places) {
  return /\/\d+$/.test(pointer) ? places[pointer.replace(/\/\d+$/, '')] ?? '' : '';
}

function draw() {
  const wanted = $('config-find').value.trim().toLowerCase();
  const some = rows.filter((row) => !wanted
    || `${row.path} ${row.value} ${row.place || 'default'}`.toLowerCase().includes(wanted));
  either($('config-body'), body, some.length > 0, rows.length > 0 ? 'No line of the configuration matches.'
    : 'This gateway was started without a file.');
  list.replaceChildren(el('caption', { class: 'unseen', text: 'Configuration' }),
    el('thead', {}, el('tr', {}, ...['Key', 'Value', 'From'].map((name) => el('th', { scope: 'col', text: name })))),
    el('tbody', {}, ...some.slice(0, kShown).map((row) => el('tr', { data: { from: row.place ? 'file' : 'default' } },
      el('th', { scope: 'row', text: row.path }), el('td', {}, el('code', { text: row.value })),
      el('td', { class: 'place', text: row.place || 'default' })))));
  put(more, some.length > kShown ? `${count(some.length - kShown)} more values: enter a search word to find them.` : '');
}

async function load() {
  try {
    const [whole, places] = await Promise.all([call('GET', '/api/v1/config'), call('GET', '/api/v1/config/places')]);
    rows = [];
    flatten(whole.config, '', '', places.places, rows);
    put($('config-from'), `${whole.file}: each value with its line and column, and the file if it is an included one. Secrets are not shown.`);
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    rows = [];
  }
  draw();
}

export function begin() {
  $('config-find').addEventListener('input', draw);
}

/// Loads the configuration again whenever another one is in force.
export function show(look) {
  const { sha256, since } = look.status.config;
  const key = `${sha256} ${since}`;
  if (key === shown) return;
  shown = key;
  load();
}
