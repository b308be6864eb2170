// The page: passes each state of the gateway to all parts, and asks for a token if one is required.

import { $, el, put, show, tell } from './dom.js';
import { follow } from './live.js';
import { forgetToken, lookWho, onRole, who } from './session.js';
import { askToken } from './sign.js';
import * as callers from './callers.js';
import * as candidate from './candidate.js';
import * as config from './config.js';
import * as events from './events.js';
import * as head from './head.js';
import * as limits from './limits.js';
import * as overrides from './overrides.js';
import * as policy from './policy.js';
import * as request from './request.js';
import * as rooms from './rooms.js';
import * as servers from './servers.js';
import * as suspensions from './suspensions.js';
import * as traffic from './traffic.js';

const parts = [head, traffic, limits, callers, suspensions, overrides, rooms, servers, candidate, policy, events, config];
let last = null;

function sections() {
  for (const section of document.querySelectorAll('main > section')) {
    const title = section.dataset.short ?? section.querySelector('h2').firstChild.textContent.trim();
    $('sections').append(el('li', { data: { of: section.id } }, el('a', { href: `#${section.id}` }, title)));
  }
}

function showAll(look) {
  last = look;
  for (const part of parts) part.show(look);
  for (const link of $('sections').children) show(link, !$(link.dataset.of).hidden);
  document.documentElement.dataset.looks = String(Number(document.documentElement.dataset.looks ?? 0) + 1);
}

function roleChanged() {
  const words = { local: 'read-only, because no token is configured', reader: 'reader', operator: 'operator' };
  put($('role'), who.needsToken ? 'token required' : words[who.role] ?? '');
  show($('sign'), who.needsToken || who.role !== 'local');
  put($('sign'), who.needsToken ? 'Enter a token' : 'Forget the token');
  document.documentElement.dataset.role = who.role;
  if (last) for (const part of parts) part.show(last);
}

async function start() {
  sections();
  request.begin();
  policy.begin();
  config.begin();
  limits.begin(() => last && limits.show(last));
  onRole(roleChanged);
  const restart = follow(showAll, (state, why) => {
    head.connection(state, why);
    if (state === 'token') askToken(restart);
  });
  $('sign').addEventListener('click', async () => {
    if (who.needsToken) return askToken(restart);
    await forgetToken();
    tell('The token was forgotten.');
    restart();
    if (who.needsToken) askToken(restart);
  });
  callers.begin(() => last);
  // Asks for the role first, because a call with a missing token is logged as a warning.
  try {
    await lookWho();
  } catch (refused) {
    head.refused(refused.message);
    return;
  }
  if (who.needsToken) {
    head.connection('token');
    askToken(restart);
  } else {
    restart();
  }
}

start();
