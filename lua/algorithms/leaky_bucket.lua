-- Leaky bucket, kept as GCRA. A bucket of `burst` requests that leaks one each T is known by one moment alone: when it will be empty.
-- How far that lies ahead of now is its level, and the room is what is left of its size, both measured in the time it takes to leak out.
-- Pouring in n requests moves the moment n*T further, and may not move it more than burst*T beyond now. Where it is a queue, a request
-- is held back for the level it finds, and refused where that is longer than the wait.
--
-- T need not be a whole number of microseconds (7 a second), so each time is a pair: whole microseconds, and parts of one in
-- units of 1/parts. All of it is integers below 2^53, exact in Lua's doubles, and the same in src/limit/refill.hpp.
--
-- KEYS  the moment, microseconds since the epoch: "<whole>", or "<whole>:<part>" where the part is not 0. Gone once it has passed.
-- ARGV  0, 1  size: burst*T, microseconds and part
--       2, 3  increment: cost*T, microseconds (rounded down, below 0 to give back) and part
--       4     parts in a microsecond
--       5     wait: the longest a request is held back in the queue, or 0 for no queue, microseconds
-- Reply 0, 1  room before taking, 0 to size, microseconds and part

--@peek
local size, size_part = ARGV[at] + 0, ARGV[at + 1] + 0
local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
local ahead, part = 0, 0

local stored = pcall('GET', key)
if stored then
  local moment = tonumber(stored)
  if not moment and type(stored) == 'string' then
    local whole, rest = match(stored, '^(%d+):(%d+)$')
    if whole then
      moment, part = tonumber(whole), tonumber(rest)
      if part >= ARGV[at + 4] + 0 then  -- the rate has changed since
        part = 0
      end
    end
  end
  if moment then
    ahead = moment - now
  end
  if not (ahead >= 0 and ahead % 1 == 0) then  -- passed; also catches "nan" and fractions
    ahead, part = 0, 0
  elseif ahead > size or (ahead == size and part > size_part) then
    -- Written under a clock ahead of this one (a replica took over), or by a larger bucket. Left alone it would refuse for the
    -- whole difference.
    ahead, part, wrong = size, size_part, true
  end
end

local room, room_part = size - ahead, size_part - part
if room_part < 0 then
  room, room_part = room - 1, room_part + ARGV[at + 4]
end
allowed = room > increment or (room == increment and room_part >= increment_part)
if allowed and ARGV[at + 5] ~= '0' and (increment > 0 or (increment == 0 and increment_part > 0)) then
  local wait = ARGV[at + 5] + 0
  allowed = ahead < wait or (ahead == wait and part == 0)
end
reply[words], reply[words + 1] = room, room_part
words, at = words + 2, at + 6

--@commit
local room, room_part = reply[words], reply[words + 1]
local ahead, part, write = ARGV[at] - room, ARGV[at + 1] - room_part, wrong
if takes then
  local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
  if increment > room or (increment == room and increment_part > room_part) then  -- a charge takes what there is
    increment, increment_part = room, room_part
  end
  ahead, part, write = ahead + increment, part + increment_part, wrong or increment ~= 0 or increment_part ~= 0
end
if write then
  if part ~= 0 then
    local parts = ARGV[at + 4] + 0
    if part < 0 then
      ahead, part = ahead - 1, part + parts
    elseif part >= parts then
      ahead, part = ahead + 1, part - parts
    end
  end
  if ahead < 0 or (ahead == 0 and part == 0) then  -- empty: more may be given back than was taken
    call('DEL', key)
  elseif part == 0 then
    call('SET', key, format('%d', now + ahead), 'PX', format('%d', ahead / 1000 + 2))
  else
    call('SET', key, format('%d:%d', now + ahead, part), 'PX', format('%d', ahead / 1000 + 2))
  end
end
words, at = words + 2, at + 6
