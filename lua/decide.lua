-- Decides all rules of one request in one atomic call: every rule is peeked, then all of them take or none does.
--
-- KEYS  one counter each, no counter twice.
-- ARGV  for each key in turn: the name of its algorithm, then the arguments lua/algorithms/<name>.lua describes.
-- Reply a flat array of integers: 1 if all rules agreed, else 0; then, for each key in turn, the words its algorithm describes.
--       Only integers, because Redis cuts off the fractions of numbers.
--
-- Time is Redis TIME, in microseconds since the epoch, so that gateways whose clocks differ mean the same moment.
-- A value that no algorithm could have written (an older format, another program's key) counts as no value.
-- Written for speed: what runs here is most of what a decision costs Redis. The recursion keeps each rule's outcome on
-- the stack, where a table an outcome would cost more than the arithmetic.

local call, pcall, format, match = redis.call, redis.pcall, string.format, string.match
local KEYS, ARGV = KEYS, ARGV

-- The functions of one algorithm: peek, commit and the number of its arguments. Only those asked for are made, because
-- this whole text runs anew with each call.
--   peek(key, at, now, reply) -> allowed, stale, x, y
--     What would happen. Its arguments start at ARGV[at]; appends its words to reply; without reply the cost is 0.
--     stale: what is stored is wrong and to be replaced even if nothing is taken. x is nil where nothing need be written.
--   commit(key, at, now, x, y)
--     Writes what peek returned, always with a time to live.
local function algorithm(name)
  --@algorithms
end

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local reply = {1}

local function decide(i, at, agreed)
  local key = KEYS[i]
  if not key then
    return agreed
  end
  local peek, commit, arguments = algorithm(ARGV[at])
  local allowed, stale, x, y = peek(key, at + 1, now, reply)
  local all = decide(i + 1, at + 1 + arguments, agreed and allowed)
  if not all and stale then
    allowed, stale, x, y = peek(key, at + 1, now)
    commit(key, at + 1, now, x, y)
  elseif all and x then
    commit(key, at + 1, now, x, y)
  end
  return all
end

if not decide(1, 1, true) then
  reply[1] = 0
end
return reply
