-- Fixed window: one counter, anew at each full period of Redis's clock since the epoch, or with each day or month of a calendar.
--
-- Known by the end of its window and not by the start: a counter holds until then, so a rule whose period has changed goes on with what
-- was used. An end beyond that of the window now (a replica with a slower clock took over; the period was longer) would hold for the
-- whole difference: what was used then counts for the window now, and is written back so.
--
-- Redis knows no calendar, so the gateway says the windows around its own now, and Redis's clock picks one. A clock that lies in none of
-- them is wrong by more than a day: then the nearest is taken for its length alone, and begins with what is taken first.
--
-- KEYS  "<used>@<end>": requests, microseconds since the epoch. Gone once the window has ended.
-- ARGV  0     cost, below 0 to give back
--       1     count: most requests in a window
--       2     period in microseconds, or 0 where a calendar says the windows
--       3..6  only for a calendar: starts of the window before, of this and of the next, and its end, microseconds since the epoch
-- Reply 0, 1  requests used before taking; microseconds to the end of the window, above 0

--@peek
local cost, period, left, used = ARGV[at] + 0, ARGV[at + 2] + 0, 0, 0
if period > 0 then
  left = period - now % period
else
  local window = now < ARGV[at + 4] + 0 and at + 3 or now < ARGV[at + 5] + 0 and at + 4 or at + 5
  left = ARGV[window + 1] - now
  if left <= 0 or now < ARGV[window] + 0 then
    left = ARGV[window + 1] - ARGV[window]
  end
end

local stored = pcall('GET', key)
if type(stored) == 'string' then
  local number, moment = match(stored, '^(%d+)@(%d+)$')
  if number and moment + 0 > now and number + 0 <= 1000000000 then
    used = number + 0
    wrong = moment - now > left
  end
end

allowed = cost <= 0 or cost <= ARGV[at + 1] - used
reply[words], reply[words + 1] = used, left
words, at = words + 2, at + (period > 0 and 3 or 7)

--@commit
local used, left, write = reply[words], reply[words + 1], wrong
if takes then
  local change, room = ARGV[at] + 0, ARGV[at + 1] - used
  if change > 0 and change > room then
    change = room > 0 and room or 0
  elseif change < -used then
    change = -used
  end
  used, write = used + change, wrong or change ~= 0
end
if write then
  if used == 0 then
    call('DEL', key)
  else
    call('SET', key, format('%d@%d', used, now + left), 'PX', format('%d', left / 1000 + 2))
  end
end
words, at = words + 2, at + (ARGV[at + 2] ~= '0' and 3 or 7)
