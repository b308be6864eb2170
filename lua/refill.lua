-- Common to token_bucket and leaky_bucket, equivalent to src/limit/refill.hpp in the gateway. A bucket is stored as one
-- moment and the rate that it was computed with. The build inserts the parts where the two algorithms have `--+refill
-- <part>`.
--
-- The use is a number of tokens. If the rate has changed (by a tier, an override or a changed limit), the moment is
-- converted to the moment that stands for the same number of tokens at the new rate (rounded up to a part). A
-- conversion alone writes nothing, because a smaller bucket must not erase the use of a larger one. So the moment may
-- be further ahead than that of an empty bucket, as in debt. Tokens come back at the faster of the two rates until one
-- is taken at the new rate.
--
-- A clock that was ahead writes such a moment too. So the value also stores how far ahead the moment was when it was
-- written; on one clock that distance only shrinks. A moment that is further ahead is moved back to that distance and
-- written, and no use is lost.
--
-- KEYS  "<moment>:<rate>", then <part> if it is not 0, then <distance>. moment: microseconds since the epoch. rate: two
--       digits for its form, 14 of its period in microseconds, 9 of its count. Form 54 has both eleven times as large.
--       Form 55 is for rates that are too large for that: a period of one microsecond more, and the count (0 for 10^9).
--       A count above 10^9 is stored after a similar rate in form 55, for versions that do not know such counts:
--       "<moment>:<rate><period><count><part><distance>", where period, count and part have 14 digits. It always has a
--       part, and so always 83 digits after the colon.
--       part: 9 digits, the moment's fraction of a microsecond in units of 1/count. distance: 16 digits, how far ahead
--       the moment was when it was written, in whole microseconds.
--       Earlier versions, which store no distance, read everything after the rate as a part. They ignore this part if
--       the stored period differs from that of their rule; otherwise they would lock the key. So the stored period is
--       never the period of the rule. Earlier versions compute with the stored rate, which is the same rate (in form 55
--       a rate slower by less than their rounding), and round down to eleven microseconds. They read the form as the
--       size of a debt, so they do not move the moment back.
--       Such versions wrote "<moment>:<size><period><count><part>": size is that of a debt, as the next power of two,
--       or 00. Even earlier ones wrote "<moment>" or "<moment>:<part>" under the rule of the time. One version wrote a
--       distance after a rate of form 53, in which period and count are unchanged.
-- ARGV  4  parts in a microsecond: the rate's count
--       6  the rate, as in the value
--
-- read   needs reach and reach_part (how far ahead the moment of an empty bucket is); sets ahead, part, room and
--        room_part. If the stored rate is faster than the rule's, also sets the function slower: slower(most,
--        most_part) is the time until at most that much is used, in microseconds.
-- write  needs reach and reach_part; writes the changes that takes, below and wrong require.

--@read
local ahead, part, slower = 0, 0, nil
local stored, whole, rest = pcall('GET', key), nil, nil
if type(stored) == 'string' then
  whole, rest = match(stored, '^(%d+):?(%d*)$')
end
if whole and whole + 0 >= now then
  local parts, most, most_part, other, distance = ARGV[at + 4] + 0, reach, reach_part, false, nil
  local period, from_period, from_count
  ahead, part = whole - now, tonumber(rest) or 0
  local length = #rest
  if length >= 25 then
    local large = length == 83
    part = large and rest:sub(54, 67) + 0 or (length == 34 or length == 50) and rest:sub(26, 34) + 0 or 0
    other = rest:sub(1, large and 53 or 25) ~= ARGV[at + 6]
    if other then
      local function rate_in(text)
        local form, period, count = text:sub(1, 2), tonumber(text:sub(3, 16)), tonumber(text:sub(17, 25))
        if form == '54' then
          period, count = (period - period % 11) / 11, (count - count % 11) / 11
        elseif form == '55' then
          period = period - 1
        end
        if #text > 50 then
          period, count = text:sub(26, 39) + 0, text:sub(40, 53) + 0
        end
        return period > 0 and period or 1, count > 0 and count or 1000000000
      end
      period, from_period, from_count = rate_in(ARGV[at + 6]), rate_in(rest)
      other = from_period ~= period or from_count ~= parts
    end
    if length == 41 or length == 50 or large then
      distance = rest:sub(-16) + 0
      most, most_part = distance, part
    elseif other then
      most = 3155760060000000
    elseif rest:sub(1, 2) ~= '00' then
      most = reach + 2 ^ rest:sub(1, 2)
    end
  end
  if part >= parts and not other then  -- written by an older version at another rate
    part = 0
  end
  if ahead > most or (ahead == most and part > most_part) then
    -- A clock ahead of this one wrote the moment (before a replica took over). Unless the moment is moved back, the
    -- bucket rejects for the whole difference.
    ahead, part, wrong = most, most_part, true
  end
  if other then
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
    -- Returns the time in which the second rate refills as many tokens as the first rate in the given time, to a part.
    local function converted(time, part, count, period, to_count, to_period, up)
      local tokens, left = times(time, count, period)
      left = left + part
      tokens, left = tokens + (left - left % period) / period, left % period
      local whole, parts = times(tokens, to_period, to_count)
      local more, beyond = times(left, to_period, period)
      parts = parts + more + (up and beyond > 0 and 1 or 0)
      whole, parts = whole + (parts - parts % to_count) / to_count, parts % to_count
      if tokens >= 9007199254740992 or whole >= 3155760060000000 then
        return 3155760060000000, 0
      end
      return whole, parts
    end
    local from, from_part, gone = ahead, part, distance and distance - ahead or 0
    if parts * from_period < from_count * period then
      gone = 0
      slower = function(most, most_part)
        local whole, part = converted(most, most_part, parts, period, from_count, from_period)
        local wait = from - whole + (from_part > part and 1 or 0)
        return wait > 0 and wait or 0
      end
    end
    ahead, part = converted(ahead + gone, part, from_count, from_period, parts, period, true)
    ahead = ahead - gone
    if ahead < 0 then
      ahead, part = 0, 0
    end
  end
  if ahead >= 3155760060000000 then
    ahead, part = 3155760060000000, 0
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
    (increment > room or (increment == room and increment_part > room_part)) then  -- a charge takes as much as is left
    increment, increment_part = room, room_part
    if room < 0 then
      increment, increment_part = 0, 0
    end
  end
  -- At the longest debt nothing is added, and the state of a larger bucket is not overwritten.
  local longest = ahead == 3155760060000000 and part == 0 and increment >= 0
  write = wrong or ((increment ~= 0 or increment_part ~= 0) and not longest)
  ahead, part = ahead + increment, part + increment_part
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
    local fraction = #ARGV[at + 6] > 25 and format('%014d', part) or part ~= 0 and format('%09d', part) or ''
    call('SET', key, format('%d:%s%s%016d', now + ahead, ARGV[at + 6], fraction, ahead), 'PX',
      format('%d', ahead / 1000 + 2))
  end
end
