-- The script of the version before distances stood in the values of buckets, with the token bucket alone, as its build
-- joined it. Gateways of it share a Redis with this version during an upgrade. Never changed: mixed_versions_test.cpp
-- runs it on the values of this version, and this version's script on its values.

-- Decides all rules of one request in one atomic call: peeks every rule, then takes from all of them or from none.
--
-- KEYS  one key for each counter; no counter twice.
-- ARGV  1  modes: one letter for each key, or nothing if all are t.
--            t  take: a rejection rejects the call; takes if the call passes
--            o  observe: never rejects the call; takes if the call passes and this rule allows it
--            c  charge: never rejects the call; takes what is left, up to the cost, if the call passes
--            d  debt: never rejects the call; takes all of the cost, also below zero, if the call passes
--          One more letter, p: the call only peeks. It replies what it would reply without, and writes nothing.
--       then for each key: the name of its algorithm, and the arguments that lua/algorithms/<name>.lua describes (or
--       lua/in_flight.lua).
-- Reply a flat array of integers: 1 if the call passed, else 0; then for each key the words of its algorithm.
--       Only integers, because Redis cuts off the fractions of numbers.
--
-- Time is Redis TIME, in microseconds since the epoch, so that gateways with different clocks use the same time.
-- A value that no algorithm can have written (an older format, another program's key) counts as no value.
--
-- The build replaces the two marks with the parts of each algorithm's file, each part inside `if name == '<file>'
-- then`. The parts are not functions, because the whole text runs anew with each call: making closures of them takes a
-- fifth of the time of a decision.
-- A part sees: key, now, its arguments from ARGV[at] on, its words from reply[words] on. It must move at and words past
-- them.
--   peek    writes its words to reply. Sets allowed. Sets wrong if the stored value must be replaced even if nothing is
--           taken.
--   commit  writes what takes and wrong require, if anything, and always with a time to live. With takes it takes the
--           cost or what is left; with takes and below all of the cost; else a cost of 0. It replaces a key of another
--           type.

local call, pcall, format, match = redis.call, redis.pcall, string.format, string.match
local KEYS, ARGV = KEYS, ARGV

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local modes = ARGV[1]
local reply, words, at = {1}, 2, 2
local agreed, stale, spared = true, nil, nil

for i = 1, #KEYS do
  local key, name, allowed, wrong = KEYS[i], ARGV[at], false, false
  at = at + 1
  if name == 'token_bucket' then
local reach, reach_part = ARGV[at] + 0, ARGV[at + 1] + 0
local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
local fits = true
if ARGV[at + 5] ~= '0' then  -- may also take what refills within the wait, but at most burst at once
  fits = increment < reach or (increment == reach and increment_part <= reach_part)
  reach = reach + ARGV[at + 5]
end
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

allowed = increment < 0 or (increment == 0 and increment_part == 0) or
  (fits and (room > increment or (room == increment and room_part >= increment_part)))
reply[words], reply[words + 1] = room, room_part
words, at = words + 2, at + 7

end
  if not allowed then
    local mode = modes == '' and 't' or modes:sub(i, i)
    if mode == 't' then
      agreed = false
    elseif mode == 'o' then
      spared = spared or {}
      spared[i] = true
    end
  end
  if wrong then
    stale = stale or {}
    stale[i] = true
  end
end

if (agreed or stale) and #modes <= #KEYS then
  words, at = 2, 2
  for i = 1, #KEYS do
    local key, name, wrong, takes = KEYS[i], ARGV[at], stale and stale[i], agreed and not (spared and spared[i])
    local below = takes and modes ~= '' and modes:sub(i, i) == 'd'
    at = at + 1
    if name == 'token_bucket' then
local reach, reach_part = ARGV[at] + ARGV[at + 5], ARGV[at + 1] + 0
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
words, at = words + 2, at + 7
end
  end
end

if not agreed then
  reply[1] = 0
end
return reply
