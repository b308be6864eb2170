-- Sliding window: an estimate in constant space from two counters, which hold the use of the current window of the
-- clock and of the previous one. The last period reaches back into the previous window by the time that the current one
-- has left. That share of the previous counter counts, as if its requests had arrived evenly. Two bursts on both sides
-- of a boundary do not pass, unlike in a fixed window. But if all requests of the previous window came at its very end,
-- up to twice the count may be in one period by the end of the current window.
--
-- The share is a number of steps, rounded up; a period has at most 2^20 steps. A counter of at most 10^13 times the
-- steps may exceed 2^53, so the counter is divided into a multiple of the steps and a rest. All numbers are then
-- integers below 2^53, exact in Lua's doubles, and the same in src/limit/algorithms/sliding_window.cpp.
--
-- The value stores the end of the current window rather than its start, so after a change of the period the rule
-- continues with the use so far. An end later than that of the current window is wrong: a replica with a slower clock
-- took over, or the period was longer. The counters then count for the current windows, and are written back in that
-- form.
--
-- A debt beyond the count goes into the next windows: each takes as much of it as it allows.
--
-- KEYS  "<current>+<previous>@<end>": requests, and the end of the current window in microseconds since the epoch. In
--       debt "<current>+<previous>@<end><owed>", where the end has 16 digits. A version without debts reads that as a
--       window of a clock ahead. The key expires when no part of it counts any more.
-- ARGV  0  cost, below 0 to give back
--       1  count: maximum number of requests in a period
--       2  period in microseconds
--       3  microseconds in a step
--       4  steps in a period
-- Reply 0, 1  requests in the current window before taking, and in the previous one
--       2     microseconds since the start of the current window
--       3     requests owed before taking

--@peek
local cost, count, period, step, steps = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0, ARGV[at + 3] + 0, ARGV[at + 4] + 0
local elapsed = now % period
local current, previous, owed = 0, 0, 0

local stored = pcall('GET', key)
if type(stored) == 'string' then
  local this, last, ends = match(stored, '^(%d+)%+(%d+)@(%d+)$')
  if this and this + 0 <= 10000000000000 and last + 0 <= 10000000000000 then
    local debt = 0
    if #ends > 16 then
      ends, debt = ends:sub(1, 16), ends:sub(17) + 0
    end
    ends = ends - (now - elapsed)  -- relative to the start of the current window
    if ends > 0 then
      current, previous, owed = this + 0, last + 0, debt
      wrong = ends > period
    else
      local begun = (-ends - -ends % period) / period  -- number of whole windows between the stored and the current one
      if begun == 0 then
        previous = this + 0
      end
      if debt > 0 then
        local before = begun - 1
        if begun > 0 then
          previous = before < debt and before * count < debt and debt - before * count or 0
          previous = previous < count and previous or count
        end
        debt = begun < debt and begun * count < debt and debt - begun * count or 0
        current = debt < count and debt or count
        owed = debt - current
      end
    end
  end
end

local left, rest = period - elapsed + step - 1, previous % steps
left = (left - left % step) / step
local part = rest * left + steps - 1
local weighed = (previous - rest) / steps * left + (part - part % steps) / steps
allowed = cost <= 0 or cost <= count - current - owed - weighed
reply[words], reply[words + 1], reply[words + 2], reply[words + 3] = current, previous, elapsed, owed
words, at = words + 4, at + 5

--@commit
local current, previous, elapsed, owed = reply[words], reply[words + 1], reply[words + 2], reply[words + 3]
local count, period, step, steps = ARGV[at + 1] + 0, ARGV[at + 2] + 0, ARGV[at + 3] + 0, ARGV[at + 4] + 0
local left, rest = period - elapsed + step - 1, previous % steps
left = (left - left % step) / step
local part = rest * left + steps - 1
local weighed = (previous - rest) / steps * left + (part - part % steps) / steps
local room, used = count - current - owed - weighed, current + previous
if attempt then  -- counts beyond the room, and is forgotten with its window
  room = 10000000000000 - current
end
--+window_rules take
current = current + used - reply[words] - previous
if current < 0 then
  current, previous = 0, previous + current
end
if wrong or current ~= reply[words] or previous ~= reply[words + 1] or owed ~= reply[words + 3] then
  local ends, lasts = now - elapsed + period, (current > 0 and 2 * period or period) - elapsed
  if owed > 0 then
    lasts = period - elapsed + (owed + count - 1 - (owed + count - 1) % count) / count * period + period
    lasts = lasts < 3155760000000000 and lasts or 3155760000000000
    call('SET', key, format('%d+%d@%016d%d', current, previous, ends, owed), 'PX', format('%d', lasts / 1000 + 2))
  elseif current == 0 and previous == 0 then
    call('DEL', key)
  else
    call('SET', key, format('%d+%d@%d', current, previous, ends), 'PX', format('%d', lasts / 1000 + 2))
  end
end
words, at = words + 4, at + 5
