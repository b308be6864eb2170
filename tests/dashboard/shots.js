// Takes pictures of the dashboard: node shots.js FOLDER [SECONDS of traffic first] [NAMES, as laptop|laptop-dark].
// dashboard.png and dashboard-dark.png are the pictures in docs/pictures: the laptop's, down to the limited callers.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { kToken, moreLooks, open, sleep, Things } from './harness.js';
import * as scenes from './scenes.js';

const [folder = 'shots', seconds = '25', only = ''] = process.argv.slice(2);
const kSizes = { phone: [390, 844], laptop: [1280, 800], wall: [2560, 1440] };
mkdirSync(folder, { recursive: true });
const things = new Things();
try {
  const { gateway } = await scenes.shop(things);
  const browser = await things.browser();
  await sleep(Number(seconds) * 1000);
  await gateway.api('/api/v1/bans', { method: 'POST', body: JSON.stringify({ limit: 'per-ip', key: '192.0.2.99', for: '1h' }) });
  await gateway.api('/api/v1/limits/search/overrides/192.0.2.44', { method: 'PUT', body: JSON.stringify({ rate: '100/minute', for: '2h', why: 'launch of a partner' }) });
  for (const [name, [width, height]] of Object.entries(kSizes))
    for (const dark of [false, true]) {
      if (only && !`${name}${dark ? '-dark' : ''}`.match(`^(${only})$`)) continue;
      const page = await open(browser, gateway, { token: kToken, width, height, dark, looks: 2 });
      await page.evaluate(() => document.querySelector('#callers').scrollIntoView());
      await moreLooks(page, 2);
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(folder, `${name}${dark ? '-dark' : ''}.png`), fullPage: true });
      if (name === 'laptop') {
        const end = await page.evaluate(() => document.querySelector('#callers').getBoundingClientRect().bottom + scrollY);
        await page.screenshot({ path: join(folder, `dashboard${dark ? '-dark' : ''}.png`), fullPage: true,
          clip: { x: 0, y: 0, width, height: Math.ceil(end) + 2 } });
      }
      if (page.wrong.length > 0) console.log(name, page.wrong);
      await page.context().close();
    }
} finally {
  await things.end();
}
