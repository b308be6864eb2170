// Tries a policy: on the requests of the last minutes, or from now on as the candidate.

import { $, el, put, show as visible, tell } from './dom.js';
import { note } from './dialog.js';
import { count, moment, sentence, share, span } from './format.js';
import { call, mayChange, who } from './session.js';

function mistakesOf(refused) {
  const mistakes = refused.mistakes ?? [];
  return [el('p', { class: 'problem', text: refused.message }),
    el('ul', { class: 'mistakes' }, ...mistakes.map((each) => el('li', {},
      el('code', { text: [each.line, each.column].filter((part) => part !== undefined).join(':') }),
      ` ${each.severity ?? 'error'}: ${each.message}`, each.help ? el('span', { class: 'under', text: each.help }) : null)))];
}

function grid(label, names, rows) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    el('table', {}, el('thead', {}, el('tr', {}, ...names.map((name, i) =>
      el('th', { scope: 'col', class: i > 0 ? 'number' : null, text: name })))),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((text, i) =>
      el(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, class: i > 0 ? 'number' : 'first', text: String(text) })))))));
}

function keysOf(limits, what) {
  return limits.flatMap((limit) => limit[what].map((key) => [key.key, limit.name, count(key.requests),
    count(key.rejected_before), count(key.rejected_after)])).slice(0, 10);
}

/// Shows which requests of the last minutes would have been rejected or allowed.
function answerOf(report) {
  if (!report.requests) return [el('p', { text: 'The access log has no request of the last minutes.' })];
  const { comparison } = report;
  const of = (number) => `${count(number)} (${share(number / report.requests)})`;
  const out = [
    el('p', { class: 'verdict', data: { kind: comparison.requests_hit > 0 ? 'bad' : 'good' },
      text: `Of ${count(report.requests)} requests, it would have rejected ${of(comparison.requests_hit)} that passed, and allowed `
        + `${of(comparison.requests_freed)} that were rejected.` }),
    el('p', { class: 'quiet', text: `From ${moment(report.from)} to ${moment(report.until)}: `
      + `${span((Date.parse(report.until) - Date.parse(report.from)) / 1000)}. ${report.notes.map(sentence).join(' ')}` }),
    grid('By limit', ['Limit', 'Requests', 'Rejected', 'With this policy', 'Keys newly rejected', 'Keys newly allowed'], comparison.limits.map((limit) =>
      [limit.name + (limit.change === 'kept' ? '' : ` (${limit.change})`), count(Math.max(limit.requests_before, limit.requests_after)),
        count(limit.rejected_before), count(limit.rejected_after), count(limit.keys_hit), count(limit.keys_freed)]))];
  for (const [what, title] of [['hit', 'Callers that it would have rejected'], ['freed', 'Callers that it would have allowed']]) {
    const keys = keysOf(comparison.limits, what);
    if (keys.length > 0) out.push(el('h3', { text: title }), grid(title, ['Caller', 'Limit', 'Requests', 'Rejected', 'With this policy'], keys));
  }
  return out;
}

async function tryIt(text) {
  const place = $('policy-answer');
  put(place, 'Replaying…');
  try {
    place.replaceChildren(...answerOf(await call('POST', '/api/v1/simulate', text)));
  } catch (refused) {
    place.replaceChildren(...mistakesOf(refused));
  }
}

async function setIt(text) {
  const place = $('policy-answer');
  try {
    const answer = await call('PUT', '/api/v1/candidate?name=dashboard', text);
    place.replaceChildren(el('p', {}, 'It is compared with the policy in force from now on: see ',
      el('a', { href: '#candidate', text: 'Candidate' }), '.'));
    for (const each of answer.warnings ?? []) place.append(el('p', { class: 'quiet', text: each.message }));
    note('The candidate was set.');
  } catch (refused) {
    place.replaceChildren(...mistakesOf(refused));
    tell('This configuration has errors.');
  }
}

export function begin() {
  const form = $('policy-form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = form.elements.text.value;
    if (event.submitter?.id === 'policy-set') setIt(text);
    else tryIt(text);
  });
  $('policy-fill').addEventListener('click', async () => {
    try {
      const { config } = await call('GET', '/api/v1/config');
      // Secrets in the configuration are replaced by "(secret)".
      form.elements.text.value = JSON.stringify(config, null, 2);
    } catch (refused) {
      put($('policy-answer'), refused.message);
    }
  });
}

export function show() {
  visible($('policy-set'), mayChange());
  visible($('policy'), who.role !== 'reader');
}
