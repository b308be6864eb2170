-- The moments of a sliding_log in debt, equivalent to src/limit/algorithms/sliding_log.cpp in the gateway. The build
-- inserts the part where sliding_log.lua has `--+log_debt sequence`. It uses closures, because a key is rarely in debt.
--
-- sequence  needs count, period and size, and a list whose first element is the debt; sets
--             total        number of all moments: those of the list, then those of the debt
--             last         the moments after it are still to come
--             filled       the part of the debt that takes places free now, because it was made at a lower count
--             dead         number of moments at the front that no longer count
--             moment_of    the i-th moment, from 0; a moment of a clock ahead counts as now
--             first_after  the first moment later than the given one, from the i-th on

--@sequence
local list = size - 1
local total, last, first = list + (tonumber(call('LINDEX', key, 0):sub(2)) or 0), list, 0
local function real(i)
  local moment = tonumber(call('LINDEX', key, i + 1)) or 0
  return moment < now and moment or now
end
local function moment_of(i)
  if i < list then
    return real(i)
  elseif i < last then
    return now
  end
  local place = (i - last) % count
  local ahead = ((i - last - place) / count + 1) * period
  place = last - count + place
  return (place < list and real(place) or now) + (ahead < 3155760000000000 and ahead or 3155760000000000)
end
local function first_after(moment, from)
  local to = total
  while from < to do
    local middle = (from + to - (from + to) % 2) / 2
    if moment_of(middle) <= moment then
      from = middle + 1
    else
      to = middle
    end
  end
  return from
end
if total > list and list < count then
  while first < list and real(first) <= now - period do
    first = first + 1
  end
  last = list + (count - (list - first))
  last = last < total and last or total
end
local filled, dead = last - list, first_after(now - period, first)
