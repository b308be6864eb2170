-- Decides all rules of one request in one atomic call: every rule is peeked, then all of them take or none does.
--
-- KEYS  one counter each, no counter twice.
-- ARGV  1  modes: a letter a key, or nothing where each is t.
--            t  take: a refusal refuses the call; takes where the call goes through
--            o  on trial: never refuses the call; takes where the call goes through and it would itself be allowed
--            c  charge: never refuses the call; takes what there is, up to the cost, where the call goes through
--            d  debt: never refuses the call; takes all of the cost, below nothing where there is less, where the call goes through
--       then, for each key in turn: the name of its algorithm, and the arguments lua/algorithms/<name>.lua describes.
-- Reply a flat array of integers: 1 if the call went through, else 0; then, for each key in turn, the words its algorithm describes.
--       Only integers, because Redis cuts off the fractions of numbers.
--
-- Time is Redis TIME, in microseconds since the epoch, so that gateways whose clocks differ mean the same moment.
-- A value that no algorithm could have written (an older format, another program's key) counts as no value.
--
-- The build puts the two parts of each algorithm's file where the marks stand, each under `if name == '<file>' then`. Parts and not
-- functions, because the whole text runs anew with each call: making closures of them costs a fifth of a decision.
-- A part sees: key, now, its arguments from ARGV[at] on, its words from reply[words] on, and must move at and words past them.
--   peek    puts its words into reply, and sets allowed, and wrong where what is stored must be replaced even if nothing is taken.
--   commit  writes, if anything, what takes (take the cost or what there is of it, with below all of it; else a cost of 0) and wrong
--           ask for, always with a time to live. A key of another type is replaced.

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
  --@peek
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

if agreed or stale then
  words, at = 2, 2
  for i = 1, #KEYS do
    local key, name, wrong, takes = KEYS[i], ARGV[at], stale and stale[i], agreed and not (spared and spared[i])
    local below = takes and modes ~= '' and modes:sub(i, i) == 'd'
    at = at + 1
    --@commit
  end
end

if not agreed then
  reply[1] = 0
end
return reply
