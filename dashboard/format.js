// Formats numbers and times for people.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const amount = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });

export function count(number) {
  return whole.format(number ?? 0).replaceAll(',', '\u202f');
}

/// Formats micro-units as an amount of money: "0.000126 (money)".
export function money(micros) {
  return `${amount.format((micros ?? 0) / 1e6).replaceAll(',', '\u202f')} (money)`;
}

/// Formats a rate per second.
export function rate(number) {
  if (!number) return '0';
  if (number >= 1000) return count(number);
  if (number >= 100) return number.toFixed(0);
  return number >= 10 ? number.toFixed(1) : number.toFixed(2);
}

/// Formats seconds in their two largest units: "3 h 20 min".
export function span(seconds) {
  if (seconds === null || seconds === undefined) return '';
  if (seconds < 1) return seconds <= 0 ? '0 s' : `${(seconds * 1000).toFixed(0)} ms`;
  const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  let left = Math.round(seconds);
  const out = [];
  for (const [name, size] of units) {
    const many = Math.floor(left / size);
    left -= many * size;
    if (many > 0) out.push(`${many} ${name}`);
    else if (out.length > 0) break;
    if (out.length === 2) break;
  }
  return out.join(' ');
}

/// Formats the duration of a request, given in seconds.
export function took(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const ms = seconds * 1000;
  if (ms >= 10000) return `${seconds.toFixed(0)} s`;
  if (ms >= 1000) return `${seconds.toFixed(1)} s`;
  if (ms >= 100) return `${ms.toFixed(0)} ms`;
  if (ms >= 1) return `${ms.toFixed(1)} ms`;
  return `${(ms * 1000).toFixed(0)} µs`;
}

export function share(part) {
  const percent = part * 100;
  return `${percent >= 10 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/// Formats a time of day, in the time zone of the browser.
export function moment(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : clock.format(at);
}

export function minute(at) {
  return minutes.format(new Date(at));
}

/// Returns the name of a caller: its key if the log shows keys, otherwise its id.
export function caller(row) {
  return row.key ?? row.key_id ?? '';
}

/// Returns a sentence of the gateway with a capital letter and a full stop.
export function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
