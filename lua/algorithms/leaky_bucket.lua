-- Leaky bucket, kept as GCRA. A bucket of `burst` requests that leaks one each T is known by one moment alone: when it will be empty.
-- How far that lies ahead of now is its level, and the room is what is left of its size, both measured in the time it takes to leak out.
-- Pouring in n requests moves the moment n*T further, and may not move it more than burst*T beyond now. Where it is a queue, a request
-- is held back for the level it finds, and refused where that is longer than the wait.
--
-- T need not be a whole number of microseconds (7 a second), so each time is a pair: whole microseconds, and parts of one in
-- units of 1/parts. All of it is integers below 2^53, exact in Lua's doubles, and the same in src/limit/refill.hpp.
--
-- In debt the level is above the size and the room below 0, and nothing is granted before that has leaked out.
--
-- KEYS  the moment, as lua/refill.lua says. Gone once it has passed.
-- ARGV  0, 1  size: burst*T, microseconds and part
--       2, 3  increment: cost*T, microseconds (rounded down, below 0 to give back) and part
--       4     parts in a microsecond
--       5     wait: the longest a request is held back in the queue, or 0 for no queue, microseconds
--       6     the rate, as the value bears it
-- Reply 0, 1  room before taking, at most size, below 0 in debt, microseconds and part

--@peek
local reach, reach_part = ARGV[at] + 0, ARGV[at + 1] + 0
local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
--+refill read
allowed = increment < 0 or (increment == 0 and increment_part == 0)
if not allowed then
  allowed = room > increment or (room == increment and room_part >= increment_part)
  if allowed and ARGV[at + 5] ~= '0' then
    local wait = ARGV[at + 5] + 0
    allowed = ahead < wait or (ahead == wait and part == 0)
  end
end
reply[words], reply[words + 1] = room, room_part
words, at = words + 2, at + 7

--@commit
local reach, reach_part = ARGV[at] + 0, ARGV[at + 1] + 0
--+refill write
words, at = words + 2, at + 7
