-- Leaky bucket, kept as GCRA. A bucket of `burst` requests leaks one request in each time T. Its state is one moment:
-- when it will be empty. Its level is the distance from now to that moment, and its room is its size minus its level.
-- Both are measured as the time to leak out. Adding n requests moves the moment by n*T, to at most burst*T after now.
-- In a queue a request is delayed for the level that it finds, and rejected if the level is longer than the wait.
--
-- T may be a fraction of microseconds (7 a second), so each time is a pair: whole microseconds, and parts of one in
-- units of 1/parts. All numbers are integers below 2^53, exact in Lua's doubles, and the same in src/limit/refill.hpp.
--
-- In debt the level is above the size and the room is below 0. Nothing is granted until the debt has leaked out.
--
-- KEYS  the moment, as in lua/refill.lua. The key expires when the moment has passed.
-- ARGV  0, 1  size: burst*T, microseconds and part
--       2, 3  increment: cost*T, microseconds (rounded down, below 0 to give back) and part
--       4     parts in a microsecond
--       5     wait: the maximum delay of a request in the queue, in microseconds; 0 for no queue
--       6     the rate, as in the value
-- Reply 0, 1  room before taking, at most size, below 0 in debt, microseconds and part
--       2     microseconds until a rejected cost is allowed, if that does not follow from the room; otherwise 0

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
local waits = 0
if not allowed and slower and (increment < reach or (increment == reach and increment_part <= reach_part)) then
  local most, most_part, wait = reach - increment, reach_part - increment_part, ARGV[at + 5] + 0
  if most_part < 0 then
    most, most_part = most - 1, most_part + ARGV[at + 4]
  end
  if wait > 0 and most >= wait then
    most, most_part = wait, 0
  end
  waits = slower(most, most_part)
end
reply[words], reply[words + 1], reply[words + 2] = room, room_part, waits
words, at = words + 3, at + 7

--@commit
local reach, reach_part = ARGV[at] + 0, ARGV[at + 1] + 0
--+refill write
words, at = words + 3, at + 7
