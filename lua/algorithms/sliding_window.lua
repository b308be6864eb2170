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
-- KEYS  "<current>+<previous>@<end>": requests, and the end of the present window in microseconds since the epoch. Gone once both
--       counters count no longer.
-- ARGV  0  cost, below 0 to give back
--       1  count: most requests in a period
--       2  period in microseconds
--       3  microseconds in a step
--       4  steps in a period
-- Reply 0, 1  requests in the present window before taking, and in the one before
--       2     microseconds since the start of the present window

--@peek
local cost, period, step, steps = ARGV[at] + 0, ARGV[at + 2] + 0, ARGV[at + 3] + 0, ARGV[at + 4] + 0
local elapsed = now % period
local current, previous = 0, 0

local stored = pcall('GET', key)
if type(stored) == 'string' then
  local this, last, ends = match(stored, '^(%d+)%+(%d+)@(%d+)$')
  if this and this + 0 <= 1000000000 and last + 0 <= 1000000000 then
    ends = ends - (now - elapsed)  -- after the start of the window now
    if ends > 0 then
      current, previous = this + 0, last + 0
      wrong = ends > period
    elseif ends > -period then
      previous = this + 0
    end
  end
end

local left = period - elapsed + step - 1
local weighed = previous * ((left - left % step) / step) + steps - 1
allowed = cost <= 0 or cost <= ARGV[at + 1] - current - (weighed - weighed % steps) / steps
reply[words], reply[words + 1], reply[words + 2] = current, previous, elapsed
words, at = words + 3, at + 5

--@commit
local current, previous, elapsed, write = reply[words], reply[words + 1], reply[words + 2], wrong
local period = ARGV[at + 2] + 0
if takes then
  local change = ARGV[at] + 0
  if change > 0 then
    local step, steps = ARGV[at + 3] + 0, ARGV[at + 4] + 0
    local left = period - elapsed + step - 1
    local weighed = previous * ((left - left % step) / step) + steps - 1
    local room = ARGV[at + 1] - current - (weighed - weighed % steps) / steps
    if change > room then
      change = room > 0 and room or 0
    end
  elseif change < -(current + previous) then
    change = -(current + previous)
  end
  current, write = current + change, wrong or change ~= 0
  if current < 0 then
    current, previous = 0, previous + current
  end
end
if write then
  if current == 0 and previous == 0 then
    call('DEL', key)
  else
    local reset = (current > 0 and 2 * period or period) - elapsed
    call('SET', key, format('%d+%d@%d', current, previous, now - elapsed + period), 'PX', format('%d', reset / 1000 + 2))
  end
end
words, at = words + 3, at + 5
