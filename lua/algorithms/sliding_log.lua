-- Sliding log: the moment of every request of the last period. A request is allowed if with it there are no more than `count` of them,
-- so that in no period, wherever it begins, there ever are more.
--
-- A list of integers, oldest first, one for each request taken. Redis keeps 10 bytes for each (a sorted set 129), and a decision takes
-- 5 µs however many there are (a sorted set 5 to 11). What lies a period back counts no longer; a peek may not write, so it is
-- searched for from the front, where it lies, and cut off when something is taken.
--
-- A moment later than now (a replica with a slower clock took over) would count for the whole difference: it counts as of now, and is
-- written back so.
--
-- KEYS  a list of moments, microseconds since the epoch. Gone once the newest lies a period back.
-- ARGV  0  cost, below 0 to give back, which takes the newest off
--       1  count: most requests in a period
--       2  period in microseconds
-- Reply 0  requests used before taking
--       1  microseconds: until this cost is allowed, where it is refused; until what is left counts no longer, where it gives back; else 0
--       2  microseconds until what is used counts no longer, before taking

--@peek
local cost, count, period = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
local used, wait, reset = 0, 0, 0

local size = pcall('LLEN', key)
if type(size) == 'number' and size > 0 and size <= 10000 then
  local newest = match(call('LINDEX', key, -1), '^%d+$')
  if newest and newest + 0 > now - period then
    local dead, live, probe, far = 0, size - 1, 0, true  -- how many surely are dead; from where on all surely are live
    while dead < live do
      if (tonumber(call('LINDEX', key, probe)) or 0) > now - period then
        live, far = probe, false
      else
        dead = probe + 1
      end
      probe = dead * 2
      if not far or probe >= live then
        probe = (dead + live - (dead + live) % 2) / 2
      end
    end
    used = size - dead
    wrong = newest + 0 > now
    reset = wrong and period or newest - now + period

    local last = 0  -- of those used, the one to wait for
    if cost > count - used and cost > 0 and cost <= count then
      last = used + cost - count
    elseif cost < 0 then
      last = used + cost
    end
    if last > 0 then
      local moment = tonumber(call('LINDEX', key, dead + last - 1)) or 0
      wait = moment < now and moment - now + period or period
    end
  end
end

allowed = cost <= 0 or cost <= count - used
reply[words], reply[words + 1], reply[words + 2] = used, wait, reset
words, at = words + 3, at + 3

--@commit
local used, change = reply[words], takes and ARGV[at] + 0 or 0
local room = ARGV[at + 1] - used
if change > 0 and change > room then
  change = room > 0 and room or 0
elseif change < -used then
  change = -used
end
if wrong or change ~= 0 then
  local moment, again = format('%d', now), 0
  if used + change == 0 then
    call('DEL', key)
  else
    local size = pcall('LLEN', key)
    if used == 0 then
      call('DEL', key)  -- all dead, or no list
    elseif size > used then
      call('LTRIM', key, size - used, -1)
    end
    if change < 0 then
      call('LTRIM', key, 0, change - 1)
    end
    if wrong then
      local before, after = 0, used + (change < 0 and change or 0)  -- how many surely are of now or earlier, of later
      while before < after do
        local probe = (before + after - (before + after) % 2) / 2
        if (tonumber(call('LINDEX', key, probe)) or 0) > now then
          after = probe
        else
          before = probe + 1
        end
      end
      again = used + (change < 0 and change or 0) - before
      if before == 0 then
        call('DEL', key)
      elseif again > 0 then
        call('LTRIM', key, 0, before - 1)
      end
    end
    again = again + (change > 0 and change or 0)
    while again > 0 do  -- in parts, as unpack is bounded by the stack
      local part = {}
      for n = 1, again < 1000 and again or 1000 do
        part[n] = moment
      end
      call('RPUSH', key, unpack(part))
      again = again - #part
    end
    if change > 0 or wrong then
      call('PEXPIRE', key, format('%d', ARGV[at + 2] / 1000 + 2))
    end
  end
end
words, at = words + 3, at + 3
