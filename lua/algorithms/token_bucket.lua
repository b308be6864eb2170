-- Token bucket, kept as GCRA. A bucket that holds `burst` tokens and gains one each T is known by one moment alone: when it will
-- be full again. The distance from now to that moment is what was taken; `room` is what may still be taken, measured in the time
-- it takes to gain it. Taking n tokens moves the moment n*T further, and may not move it more than burst*T beyond now.
--
-- T need not be a whole number of microseconds (7 a second), so each time is a pair: whole microseconds, and parts of one in
-- units of 1/parts. All of it is integers below 2^53, exact in Lua's doubles, and the same in src/limit/algorithms/token_bucket.cpp.
--
-- KEYS  the moment, microseconds since the epoch: "<whole>", or "<whole>:<part>" where the part is not 0. Gone once it has passed.
-- ARGV  1, 2  tolerance: burst*T, microseconds and part
--       3, 4  increment: cost*T, microseconds (rounded down, below 0 to give back) and part
--       5     parts in a microsecond
-- Reply 1, 2  room before taking, 0 to tolerance, microseconds and part

local function peek(key, at, now, reply)
  local tolerance, tolerance_part = ARGV[at] + 0, ARGV[at + 1] + 0
  local parts = ARGV[at + 4] + 0
  local ahead, part, stale = 0, 0, false

  local stored = pcall('GET', key)
  if stored then
    local full_at = tonumber(stored)
    if not full_at and type(stored) == 'string' then
      local whole, rest = match(stored, '^(%d+):(%d+)$')
      if whole then
        full_at, part = tonumber(whole), tonumber(rest)
      end
    end
    if full_at then
      ahead = full_at - now
      if part >= parts then  -- the rate has changed since
        part = 0
      end
    end
    if not (ahead >= 0 and ahead % 1 == 0) then  -- full again; also catches "nan" and fractions
      ahead, part = 0, 0
    elseif ahead > tolerance or (ahead == tolerance and part > tolerance_part) then
      -- Written under a clock ahead of this one (a replica that took over), or by a larger bucket. Left alone it would refuse for
      -- the whole difference.
      ahead, part, stale = tolerance, tolerance_part, true
    end
  end

  local room, room_part = tolerance - ahead, tolerance_part - part
  if room_part < 0 then
    room, room_part = room - 1, room_part + parts
  end
  if not reply then
    return true, stale, room, room_part
  end
  local n = #reply
  reply[n + 1], reply[n + 2] = room, room_part

  local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
  if increment == 0 and increment_part == 0 then
    return true, stale, stale and room, room_part
  end
  room, room_part = room - increment, room_part - increment_part
  if room_part < 0 then
    room, room_part = room - 1, room_part + parts
  end
  if room > tolerance or (room == tolerance and room_part > tolerance_part) then  -- more was given back than taken
    room, room_part = tolerance, tolerance_part
  end
  return room >= 0, stale, room, room_part
end

local function commit(key, at, now, room, room_part)
  local ahead, part = ARGV[at] - room, ARGV[at + 1] - room_part
  if part < 0 then
    ahead, part = ahead - 1, part + ARGV[at + 4]
  end
  if part > 0 then
    call('SET', key, format('%d:%d', now + ahead, part), 'PX', format('%d', ahead / 1000 + 2))
  elseif ahead > 0 then
    call('SET', key, format('%d', now + ahead), 'PX', format('%d', ahead / 1000 + 2))
  else
    call('DEL', key)
  end
end

return peek, commit, 5
