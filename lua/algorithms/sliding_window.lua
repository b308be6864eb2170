-- Sliding window, estimated in constant space from two counters: what was taken in the present window of the clock, and what was taken
-- in the one before. The last period reaches back into the one before for as long as the present has still to go, and that share of
-- its counter counts, as if its requests had come evenly. Two bursts on either side of a boundary do not pass, as they do a fixed window;
-- but where all of the window before came at its very end, up to twice the count may lie in a period by the end of this one.
--
-- The share is a number of steps, of which a period has at most 2^20, rounded up: counters are at most 10^9, so all of it is integers
-- below 2^53, exact in Lua's doubles, and the same in src/limit/algorithms/sliding_window.cpp.
--
-- Known by the end of the present window and not by its start, so that a rule whose period has changed goes on with what was used. An
-- end beyond that of the window now (a replica with a slower clock took over; the period was longer) would hold for the whole difference:
-- the counters then count for the windows of now, and are written back so.
--
-- What is owed beyond the count is what the next windows begin with, each with as much of it as it allows.
--
-- KEYS  "<current>+<previous>@<end>": requests, and the end of the present window in microseconds since the epoch. In debt
--       "<current>+<previous>@<end><owed>", where the end has 16 digits: what a version that knows of no debt takes for a window of a
--       clock ahead. Gone once all of it counts no longer.
-- ARGV  0  cost, below 0 to give back
--       1  count: most requests in a period
--       2  period in microseconds
--       3  microseconds in a step
--       4  steps in a period
-- Reply 0, 1  requests in the present window before taking, and in the one before
--       2     microseconds since the start of the present window
--       3     requests owed before taking

--@peek
local cost, count, period, step, steps = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0, ARGV[at + 3] + 0, ARGV[at + 4] + 0
local elapsed = now % period
local current, previous, owed = 0, 0, 0

local stored = pcall('GET', key)
if type(stored) == 'string' then
  local this, last, ends = match(stored, '^(%d+)%+(%d+)@(%d+)$')
  if this and this + 0 <= 1000000000 and last + 0 <= 1000000000 then
    local debt = 0
    if #ends > 16 then
      ends, debt = ends:sub(1, 16), ends:sub(17) + 0
    end
    ends = ends - (now - elapsed)  -- after the start of the window now
    if ends > 0 then
      current, previous, owed = this + 0, last + 0, debt
      wrong = ends > period
    else
      local begun = (-ends - -ends % period) / period  -- after the one that began when its own ended
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

local left = period - elapsed + step - 1
local weighed = previous * ((left - left % step) / step) + steps - 1
allowed = cost <= 0 or cost <= count - current - owed - (weighed - weighed % steps) / steps
reply[words], reply[words + 1], reply[words + 2], reply[words + 3] = current, previous, elapsed, owed
words, at = words + 4, at + 5

--@commit
local current, previous, elapsed, owed = reply[words], reply[words + 1], reply[words + 2], reply[words + 3]
local count, period, step, steps = ARGV[at + 1] + 0, ARGV[at + 2] + 0, ARGV[at + 3] + 0, ARGV[at + 4] + 0
local left = period - elapsed + step - 1
local weighed = previous * ((left - left % step) / step) + steps - 1
local room, used = count - current - owed - (weighed - weighed % steps) / steps, current + previous
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
