-- Fixed window: one counter, which is reset at each full period of Redis's clock since the epoch, or with each day or
-- month of a calendar, or whose window begins with the first request of its key.
--
-- The value stores the end of its window rather than the start. The counter is valid until that end, so after a change
-- of the period the rule continues with the use so far. An end later than that of the current window is wrong: a
-- replica with a slower clock took over, or the period was longer. The use then counts for the current window, and is
-- written back in that form.
--
-- Redis knows no calendar, so the gateway sends the windows around its own time, and Redis's clock selects one of them.
-- If the time of Redis is in none of them, a clock is wrong by more than a day. The nearest window then only gives its
-- length, and starts with the first request.
--
-- A debt beyond the count goes into the next windows: each takes as much of it as it allows. For a calendar, the number
-- of windows that have begun since is computed from their mean length. For many windows this is wrong by less than half
-- of one.
--
-- With a burst above the count, a window may use permits of the next ones. They are owed like a debt.
--
-- If windows begin with the first request of a key, a window ends at the end in the value. The next one begins with a
-- request, or at once if there is a debt.
--
-- KEYS  "<used>@<end>": requests, microseconds since the epoch. In debt "<used>@<end><owed>", where the end has 16
--       digits. Versions without debts read it as the window of a clock ahead. The key expires when no part of it
--       counts any more.
-- ARGV  0     cost, below 0 to give back
--       1     count: maximum number of requests in a window
--       2     burst: maximum at once, at least the count
--       3     period in microseconds, 0 if a calendar gives the windows, below 0 if they begin with a request
--       4..7  only for a calendar: starts of the previous, current and next window, and the end of the next, in
--             microseconds since the epoch
-- Reply 0, 1  requests used before taking; microseconds to the end of the window, above 0
--       2     requests owed before taking

--@peek
local cost, period, left, used, owed = ARGV[at] + 0, ARGV[at + 3] + 0, 0, 0, 0
local window, first
if period > 0 then
  left = period - now % period
elseif period < 0 then
  first, period = true, -period
  left = period
else
  window = now < ARGV[at + 5] + 0 and at + 4 or now < ARGV[at + 6] + 0 and at + 5 or at + 6
  left = ARGV[window + 1] - now
  if left <= 0 or now < ARGV[window] + 0 then
    left = ARGV[window + 1] - ARGV[window]
  end
end

local stored = pcall('GET', key)
if type(stored) == 'string' then
  local number, moment = match(stored, '^(%d+)@(%d+)$')
  if number and number + 0 <= 10000000000000 then
    local debt = 0
    if #moment > 16 then
      moment, debt = moment:sub(1, 16), moment:sub(17) + 0
    end
    if moment + 0 > now then
      used, owed = number + 0, debt
      wrong = moment - now > left
      if first and not wrong then
        left = moment - now
      end
    elseif debt > 0 then
      local count, since, length = ARGV[at + 1] + 0, now - moment, period
      if window then
        length = ARGV[at + 5] - ARGV[at + 4] > 100000000000 and 2629746000000 or 86400000000
        since = ARGV[window] - moment + length / 2
        since = since > 0 and since or 0
      end
      local begun = (since - since % length) / length  -- windows that have begun since the one after the stored window
      debt = begun < debt and begun * count < debt and debt - begun * count or 0
      used = debt < count and debt or count
      owed = debt - used
      if first and debt > 0 then  -- windows in debt follow each other without a gap
        left = moment - now + (begun + 1) * period
      end
    end
  end
end

allowed = cost <= 0 or cost <= ARGV[at + 2] - used - owed
reply[words], reply[words + 1], reply[words + 2] = used, left, owed
words, at = words + 3, at + (period > 0 and 4 or 8)

--@commit
local used, left, owed = reply[words], reply[words + 1], reply[words + 2]
local room = ARGV[at + 2] - used - owed
--+window_rules take
local most = ARGV[at + 1] + 0
most = reply[words] > most and reply[words] or most
if used > most then  -- the rest is taken from the next windows
  owed, used = owed + used - most, most
  owed = owed < 10000000000000 and owed or 10000000000000
end
if wrong or used ~= reply[words] or owed ~= reply[words + 2] then
  if used == 0 and owed == 0 then
    call('DEL', key)
  elseif owed == 0 then
    call('SET', key, format('%d@%d', used, now + left), 'PX', format('%d', left / 1000 + 2))
  else
    local length, windows = ARGV[at + 3] + 0, owed + ARGV[at + 1] - 1
    if length < 0 then
      length = -length
    elseif length == 0 then
      length = ARGV[at + 5] - ARGV[at + 4] > 100000000000 and 2682000000000 or 90000000000
    end
    local lasts = left + (windows - windows % ARGV[at + 1]) / ARGV[at + 1] * length
    lasts = lasts < 3155760000000000 and lasts or 3155760000000000
    call('SET', key, format('%d@%016d%d', used, now + left, owed), 'PX', format('%d', lasts / 1000 + 2))
  end
end
words, at = words + 3, at + (ARGV[at + 3] ~= '0' and 4 or 8)
