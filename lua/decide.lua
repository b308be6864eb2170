-- Decides all rules of one request in one atomic call: every rule is peeked, then all of them take or none does.
--
-- KEYS  one counter each, no counter twice.
-- ARGV  for each key in turn: the name of its algorithm, then the arguments lua/algorithms/<name>.lua describes.
-- Reply a flat array of integers: 1 if all rules agreed, else 0; then, for each key in turn, the words its algorithm describes.
--       Only integers, because Redis cuts off the fractions of numbers.
--
-- Time is Redis TIME, in microseconds since the epoch, so that gateways whose clocks differ mean the same moment.
-- A value that no algorithm could have written (an older format, another program's key) counts as no value.
--
-- The build puts the two parts of each algorithm's file where the marks stand, each under `if name == '<file>' then`. Parts and not
-- functions, because the whole text runs anew with each call: making closures of them costs a fifth of a decision.
-- A part sees: key, now, its arguments from ARGV[at] on, its words from reply[words] on, and must move at and words past them.
--   peek    puts its words into reply, and sets allowed, and wrong where what is stored must be replaced even if nothing is taken.
--   commit  writes what agreed (take the cost, else a cost of 0) and wrong ask for, if anything, always with a time to live.

local call, pcall, format, match = redis.call, redis.pcall, string.format, string.match
local KEYS, ARGV = KEYS, ARGV

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local reply, words, at = {1}, 2, 1
local agreed, stale = true, nil

for i = 1, #KEYS do
  local key, name, allowed, wrong = KEYS[i], ARGV[at], false, false
  at = at + 1
  --@peek
  agreed = agreed and allowed
  if wrong then
    stale = stale or {}
    stale[i] = true
  end
end

if agreed or stale then
  words, at = 2, 1
  for i = 1, #KEYS do
    local key, name, wrong = KEYS[i], ARGV[at], stale and stale[i]
    at = at + 1
    --@commit
  end
end

if not agreed then
  reply[1] = 0
end
return reply
