-- Token bucket, kept as GCRA. A bucket holds `burst` tokens and refills one token in each time T. Its state is one
-- moment: when it will be full again. The distance from now to that moment is the use, and the room is how much may
-- still be taken. Both are measured as the time to refill. Taking n tokens moves the moment by n*T, to at most burst*T
-- after now, plus the time that a request may wait for its tokens.
--
-- T may be a fraction of microseconds (7 a second), so each time is a pair: whole microseconds, and parts of one in
-- units of 1/parts. All numbers are integers below 2^53, exact in Lua's doubles, and the same in src/limit/refill.hpp.
--
-- The room is below 0 in debt, or if a larger bucket took more. Nothing is granted until it has refilled.
--
-- KEYS  the moment, as in lua/refill.lua. The key expires when the moment has passed.
-- ARGV  0, 1  tolerance: burst*T, microseconds and part
--       2, 3  increment: cost*T, microseconds (rounded down, below 0 to give back) and part
--       4     parts in a microsecond
--       5     wait: the maximum delay of a request, in microseconds, or 0
--       6     the rate, as in the value
-- Reply 0, 1  room before taking, at most tolerance + wait, below 0 in debt, microseconds and part
--       2     microseconds until a rejected cost is allowed, if that does not follow from the room; otherwise 0

--@peek
local reach, reach_part = ARGV[at] + 0, ARGV[at + 1] + 0
local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
local fits = true
if ARGV[at + 5] ~= '0' then  -- tokens that refill within the wait may be taken as well, but at most burst at once
  fits = increment < reach or (increment == reach and increment_part <= reach_part)
  reach = reach + ARGV[at + 5]
end
--+refill read
allowed = increment < 0 or (increment == 0 and increment_part == 0) or
  (fits and (room > increment or (room == increment and room_part >= increment_part)))
local wait = 0
if not allowed and slower and fits and (increment < reach or (increment == reach and increment_part <= reach_part)) then
  local part = reach_part - increment_part
  wait = slower(reach - increment - (part < 0 and 1 or 0), part < 0 and part + ARGV[at + 4] or part)
end
reply[words], reply[words + 1], reply[words + 2] = room, room_part, wait
words, at = words + 3, at + 7

--@commit
local reach, reach_part = ARGV[at] + ARGV[at + 5], ARGV[at + 1] + 0
--+refill write
words, at = words + 3, at + 7
