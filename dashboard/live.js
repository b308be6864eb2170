// Reads the event stream of the gateway, and connects again when the stream breaks. Each "look" event has the state of
// the gateway at one moment.

import { gone, openStream, who } from './session.js';

const kAgain = [500, 1000, 2000, 5000];

/// Returns a function that connects, or connects again with another token. Calls `each` with the data of every "look"
/// event, and `state` with "open", "lost" or "token".
export function follow(each, state) {
  let failed = 0;
  let timer = 0;
  let abort = new AbortController();

  async function run() {
    timer = 0;
    const mine = new AbortController();
    abort = mine;
    try {
      const answer = await openStream('/api/v1/live', mine.signal);
      if (answer.status === 401) {
        gone();
        state('token');
        return;
      }
      if (!answer.ok) throw new Error((await answer.json()).detail ?? 'refused');
      state('open');
      for await (const look of looksOf(answer.body)) {
        failed = 0;
        each(look);
      }
      throw new Error('ended');
    } catch (broken) {
      if (mine.signal.aborted) return;
      state('lost', broken);
      again();
    }
  }

  function again() {
    if (timer) return;
    timer = setTimeout(run, kAgain[Math.min(failed++, kAgain.length - 1)]);
  }

  function restart() {
    abort.abort();
    clearTimeout(timer);
    timer = 0;
    failed = 0;
    if (!document.hidden && !who.needsToken) run();
  }

  // Disconnects while the tab is hidden, so that a hidden tab costs the gateway nothing.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) abort.abort();
    else restart();
  });
  return restart;
}

/// Yields the data of each "look" event of a stream.
async function* looksOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data && event.startsWith('event: look')) yield JSON.parse(data.slice(6));
    }
  }
}
