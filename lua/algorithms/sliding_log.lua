-- Sliding log: the moment of every request of the last period. A request is allowed if there are at most `count`
-- moments including its own. So no period has more requests, wherever it begins.
--
-- The value is a list of integers, oldest first, one for each request. Redis needs 10 bytes for each (129 in a sorted
-- set). A decision takes 5 µs for any number of them (5 to 11 with a sorted set). A moment that is one period old no
-- longer counts. A peek may not write, so it searches the first live moment from the front. Expired moments are removed
-- when a cost is taken.
--
-- A moment later than now (a replica with a slower clock took over) counts as now, and is written back in that form.
-- Otherwise it would count for the whole difference.
--
-- A debt beyond the count takes the places that become free. The moment of each place is one period after the moment
-- `count` places before it. These moments are not stored before they are due: lua/log_debt.lua computes them.
--
-- A rejected attempt that counts displaces the oldest moments, so the list does not grow. Beyond the count (in debt, or
-- after the limit became smaller) it adds nothing.
--
-- KEYS  a list of moments, microseconds since the epoch. In debt its first element is "-<owed>"; a version without
--       debts reads that as a moment long ago. The key expires when the newest moment is one period old and there is no
--       debt.
-- ARGV  0  cost; a cost below 0 gives back by removing the newest moments
--       1  count: maximum number of requests in a period
--       2  period in microseconds
-- Reply 0  requests used before taking
--       1  microseconds: if the cost is rejected, until it is allowed; if it is allowed or counts as an attempt, and
--          the same cost would not be allowed once more, until it would be; if it gives back, until the remaining use
--          no longer counts; otherwise 0
--       2  microseconds until the use before taking no longer counts

--@peek
local cost, count, period = ARGV[at] + 0, ARGV[at + 1] + 0, ARGV[at + 2] + 0
local used, wait, reset = 0, 0, 0

local size = pcall('LLEN', key)
if type(size) == 'number' and size > 0 and size <= 10001 then
  local newest, oldest = match(call('LINDEX', key, -1), '^%d+$'), call('LINDEX', key, 0)
  if newest and oldest:sub(1, 1) == '-' then
    --+log_debt sequence
    used, reset = total - dead, moment_of(total - 1) + period - now
    if used == 0 then
      reset = 0
    elseif cost > count - used and cost > 0 and cost <= count and not (counts and used <= count) then
      wait = moment_of(dead + used + cost - count - 1) + period - now
    elseif cost < 0 and used + cost > 0 then
      wait = moment_of(dead + used + cost - 1) + period - now
    elseif cost > 0 and cost <= count and cost > count - used - cost then
      local gone = used + 2 * cost - count
      wait = gone > used and period or moment_of(dead + gone - 1) + period - now
    end
    wrong = used > 0 and (filled > 0 or newest + 0 > now)
  elseif newest and newest + 0 > now - period then
    local dead, live, probe, far = 0, size - 1, 0, true  -- the first live moment is between them
    while dead < live do
      if (tonumber(probe == 0 and oldest or call('LINDEX', key, probe)) or 0) > now - period then
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

    local last = 0  -- the used moment to wait for
    if cost > count - used and cost > 0 and cost <= count and not (counts and used <= count) then
      last = used + cost - count
    elseif cost < 0 then
      last = used + cost
    elseif cost > 0 and cost <= count then
      last = used + 2 * cost - count
    end
    if last > used then
      wait = period
    elseif last > 0 then
      local moment = tonumber(call('LINDEX', key, dead + last - 1)) or 0
      wait = moment < now and moment - now + period or period
    end
  end
end
if used == 0 and cost > 0 and cost <= count and 2 * cost > count then
  wait = period
end

allowed = cost <= 0 or cost <= count - used
reply[words], reply[words + 1], reply[words + 2] = used, wait, reset
words, at = words + 3, at + 3

--@commit
local used, owed = reply[words], 0
local room = ARGV[at + 1] - used
local added, drop = 0, 0
if attempt then
  local cost, count = ARGV[at] + 0, ARGV[at + 1] + 0
  if room >= 0 then
    added = cost < count and cost or count
    drop = added > room and added - room or 0
    used = used + added - drop
  end
else
  --+window_rules take
end
if wrong or owed > 0 or used ~= reply[words] or added > 0 then
  if used == 0 and owed == 0 then
    call('DEL', key)
  else
    local period, moment, change, live = ARGV[at + 2] + 0, format('%d', now), used - reply[words] + drop, reply[words]
    local size, lasts = pcall('LLEN', key), period
    if live == 0 then
      call('DEL', key)  -- all moments have expired, or the key is no list
    else
      local oldest = call('LINDEX', key, 0)
      if oldest:sub(1, 1) == '-' then  -- writes the moments that are due
        local count = ARGV[at + 1] + 0
        --+log_debt sequence
        local due = first_after(now, last)
        local moments = {}
        for i = dead, due - 1 do
          moments[#moments + 1] = format('%d', moment_of(i))
        end
        call('DEL', key)
        for i = 1, #moments, 1000 do
          call('RPUSH', key, unpack(moments, i, i + 999 < #moments and i + 999 or #moments))
        end
        local forgiven = total - due  -- giving back first reduces the debt
        live, size = live - forgiven, #moments
        if change < 0 then
          forgiven = -change < forgiven and -change or forgiven
          owed, change = owed + total - due - forgiven, change + forgiven
        else
          owed = owed + total - due
        end
        owed = owed < 10000000000000 and owed or 10000000000000
      elseif size > live then
        call('LTRIM', key, size - live, -1)
      end
      if change < 0 then
        call('LTRIM', key, 0, change - 1)
      end
      if drop > 0 then
        call('LTRIM', key, drop, -1)
        live = live - drop
      end
    end
    local again = 0
    if wrong and live > 0 then
      local before, after = 0, live + (change < 0 and change or 0)  -- the first moment later than now is between them
      while before < after do
        local probe = (before + after - (before + after) % 2) / 2
        if (tonumber(call('LINDEX', key, probe)) or 0) > now then
          after = probe
        else
          before = probe + 1
        end
      end
      again = live + (change < 0 and change or 0) - before
      if before == 0 then
        call('DEL', key)
      elseif again > 0 then
        call('LTRIM', key, 0, before - 1)
      end
    end
    again = again + (change > 0 and change or 0)
    while again > 0 do  -- in parts, because the stack limits unpack
      local part = {}
      for n = 1, again < 1000 and again or 1000 do
        part[n] = moment
      end
      call('RPUSH', key, unpack(part))
      again = again - #part
    end
    if owed > 0 then
      call('LPUSH', key, format('-%d', owed))
      lasts = period * ((owed - owed % ARGV[at + 1]) / ARGV[at + 1] + 2)
      lasts = lasts < 3155760000000000 and lasts or 3155760000000000
    end
    if change > 0 or wrong or owed > 0 or used ~= reply[words] then
      call('PEXPIRE', key, format('%d', lasts / 1000 + 2))
    end
  end
end
words, at = words + 3, at + 3
