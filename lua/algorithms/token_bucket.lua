-- Token bucket, kept as GCRA. A bucket that holds `burst` tokens and gains one each T is known by one moment alone: when it will be
-- full again. How far that lies ahead of now is what was taken; the room left is what may still be taken, both measured in the time it
-- takes to gain it. Taking n tokens moves the moment n*T further, and may not move it more than burst*T beyond now, or as much more as
-- a request may be held back for its tokens.
--
-- T need not be a whole number of microseconds (7 a second), so each time is a pair: whole microseconds, and parts of one in
-- units of 1/parts. All of it is integers below 2^53, exact in Lua's doubles, and the same in src/limit/refill.hpp.
--
-- In debt the room is below 0, and nothing is granted before it has been gained.
--
-- KEYS  the moment, as lua/refill.lua says. Gone once it has passed.
-- ARGV  0, 1  tolerance: burst*T, microseconds and part
--       2, 3  increment: cost*T, microseconds (rounded down, below 0 to give back) and part
--       4     parts in a microsecond
--       5     wait: the longest a request is held back, or 0, microseconds
--       6     the rate, as the value bears it
-- Reply 0, 1  room before taking, at most tolerance + wait, below 0 in debt, microseconds and part

--@peek
local reach, reach_part = ARGV[at] + 0, ARGV[at + 1] + 0
local increment, increment_part = ARGV[at + 2] + 0, ARGV[at + 3] + 0
local fits = true
if ARGV[at + 5] ~= '0' then  -- what comes within the wait may be taken too, but no more at once than the bucket holds
  fits = increment < reach or (increment == reach and increment_part <= reach_part)
  reach = reach + ARGV[at + 5]
end
--+refill read
allowed = increment < 0 or (increment == 0 and increment_part == 0) or
  (fits and (room > increment or (room == increment and room_part >= increment_part)))
reply[words], reply[words + 1] = room, room_part
words, at = words + 2, at + 7

--@commit
local reach, reach_part = ARGV[at] + ARGV[at + 5], ARGV[at + 1] + 0
--+refill write
words, at = words + 2, at + 7
