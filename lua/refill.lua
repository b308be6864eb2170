-- Common to token_bucket and leaky_bucket, as src/limit/refill.hpp is for the gateway. A bucket is stored as one moment
-- and the rate that it was computed with. The build inserts the parts where the two algorithms have `--+refill <part>`.
--
-- What was used is a count. If the rate has changed (a tier, a changed limit), the moment moves to where it would be if
-- as many tokens had been taken at the new rate, and is written back. This is exact if the periods are equal, else
-- rounded down to a microsecond.
--
-- A debt moves the moment beyond that of an empty bucket. A clock that was ahead does the same. To tell them apart, the
-- value has the size of the debt, as the next power of two. A moment further ahead than that is cut back to it.
--
-- KEYS  "<moment>:<debt><rate>", then <part> if it is not 0. moment: microseconds since the epoch. debt: two digits, 0
--       for no debt, else a debt of less than 2^debt microseconds. rate: 14 digits of its period in microseconds and 9
--       of its count (0 for 10^9). part: 9 digits, the moment's fraction of a microsecond in units of 1/count. Earlier
--       versions wrote "<moment>" or "<moment>:<part>", by the rule of the time. They read the text after ":" as a
--       part, find it too large, and use 0.
-- ARGV  4  parts in a microsecond: the rate's count
--       6  the rate, as in the value
--
-- read   needs reach and reach_part (how far ahead the moment of an empty bucket lies); sets ahead, part, room and
--        room_part.
-- write  needs reach and reach_part; writes what takes, below and wrong require.

--@read
local ahead, part = 0, 0
local stored, whole, rest = pcall('GET', key), nil, nil
if type(stored) == 'string' then
  whole, rest = match(stored, '^(%d+):?(%d*)$')
end
if whole and whole + 0 >= now then
  local most, most_part, parts = reach, reach_part, ARGV[at + 4] + 0
  ahead, part = whole - now, tonumber(rest) or 0
  if #rest >= 25 then
    local owed = rest:sub(1, 2)
    part, owed = tonumber(rest:sub(26)) or 0, owed == '00' and 0 or 2 ^ owed
    if rest:sub(3, 25) ~= ARGV[at + 6] then
      -- a * b / c, rounded down, and the remainder. Works bit by bit on b, so that no number exceeds 2^53.
      local function times(a, b, c)
        local rest, quotient, left, bits = a % c, 0, 0, b
        for bit = 44, 0, -1 do
          quotient, left = 2 * quotient, 2 * left
          if bits >= 2 ^ bit then
            bits, left = bits - 2 ^ bit, left + rest
          end
          while left >= c do
            quotient, left = quotient + 1, left - c
          end
        end
        return (a - rest) / c * b + quotient, left
      end
      local from_period, from_count = tonumber(rest:sub(3, 16)), tonumber(rest:sub(17, 25))
      local period, far = tonumber(ARGV[at + 6]:sub(1, 14)), 3155760060000000
      from_count = from_count > 0 and from_count or 1000000000
      local function carried(time, part)
        if from_period ~= period then
          time, part = times(time, period, from_period), 0
          if time >= far then
            time = far
          end
        end
        if from_count ~= parts then
          local whole, left = times(time, from_count, parts)
          left = left + part
          time, part = whole + (left - left % parts) / parts, left % parts
          if time >= far then
            return far, 0
          end
        end
        return time, part
      end
      if from_period > 0 then
        ahead, part = carried(ahead, part)
        owed = carried(owed, 0)
      end
      wrong = true
    end
    if owed > 0 then
      most = reach + owed
      if most >= 3155760060000000 then
        most, most_part = 3155760060000000, 0
      end
    end
  end
  if part >= parts then  -- written by an older version at another rate
    part = 0
  end
  if ahead > most or (ahead == most and part > most_part) then
    -- A clock ahead of this one wrote it (a replica took over), or a larger bucket. Without this it would reject for
    -- the whole difference.
    ahead, part, wrong = most, most_part, true
  end
end

local room, room_part = reach - ahead, reach_part - part
if room_part < 0 then
  room, room_part = room - 1, room_part + ARGV[at + 4]
end

--@write
local room, room_part = reply[words], reply[words + 1]
local ahead, part, write = reach - room, reach_part - room_part, wrong
if takes then
  local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
  if not below and (increment > 0 or (increment == 0 and increment_part > 0)) and
    (increment > room or (increment == room and increment_part > room_part)) then  -- a charge takes what is left
    increment, increment_part = room, room_part
    if room < 0 then
      increment, increment_part = 0, 0
    end
  end
  ahead, part, write = ahead + increment, part + increment_part, wrong or increment ~= 0 or increment_part ~= 0
end
if write then
  local parts = ARGV[at + 4] + 0
  if part < 0 then
    ahead, part = ahead - 1, part + parts
  elseif part >= parts then
    ahead, part = ahead + 1, part - parts
  end
  if ahead >= 3155760060000000 then
    ahead, part = 3155760060000000, 0
  end
  if ahead < 0 or (ahead == 0 and part == 0) then  -- more may be given back than was taken
    call('DEL', key)
  else
    local debt, digits = ahead - reach + (part > reach_part and 1 or 0), 0
    if debt > 0 then
      debt, digits = math.frexp(debt)
    end
    call('SET', key, format('%d:%02d%s%s', now + ahead, digits, ARGV[at + 6], part == 0 and '' or format('%09d', part)),
      'PX', format('%d', ahead / 1000 + 2))
  end
end
