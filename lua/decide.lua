-- Decides all rules of one request in one atomic call: peeks every rule, then takes from all of them or from none.
--
-- KEYS  one key for each counter; no counter twice.
-- ARGV  1  modes: one letter for each key, or nothing if all are t.
--            t  take: a rejection rejects the call; takes if the call passes
--            o  observe: never rejects the call; takes if the call passes and this rule allows it
--            c  charge: never rejects the call; takes as much as is left, up to the cost, if the call passes
--            d  debt: never rejects the call; takes all of the cost, even below zero, if the call passes
--            T, O  like t and o, but attempts count: if the call is rejected, or the rule of an O rejects, it takes the
--            cost as a rejected attempt
--          A further letter p makes the call a peek: it replies as it would without the letter, and writes nothing.
--       then for each key: the name of its algorithm, and the arguments that lua/algorithms/<name>.lua describes (or
--       lua/in_flight.lua, lua/settled_batch.lua, lua/balance.lua or lua/top_up.lua).
-- Reply a flat array of integers: 1 if the call passed, otherwise 0; then for each key the words of its algorithm.
--       Only integers, because Redis truncates fractions.
--
-- Time is Redis TIME, in microseconds since the epoch, so that gateways with different clocks use the same time.
-- A value that no algorithm can have written (an older format, another program's key) counts as no value.
--
-- The build replaces the two marks below with the parts of each algorithm's file, each part inside `if name ==
-- '<file>' then`. The parts are not functions, because the whole text runs anew with each call: creating closures for
-- them would take a fifth of the time of a decision.
-- A part uses: key, now, its arguments from ARGV[at] on, its words from reply[words] on. It must move at and words past
-- them.
--   peek    writes its words to reply and sets allowed. If counts is true, an attempt is taken even if it is rejected.
--           Sets wrong if the stored value must be replaced even if nothing is taken.
--   commit  writes the changes that takes and wrong require, with a time to live (a balance has none). If takes is
--           true, it takes the cost, or as much as is left; if below is true too, all of the cost; if attempt is true
--           too, the cost of a rejected attempt. Otherwise it takes a cost of 0. It replaces a key of another type.

local call, pcall, format, match = redis.call, redis.pcall, string.format, string.match
local KEYS, ARGV = KEYS, ARGV

local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local modes = ARGV[1]
local reply, words, at = {1}, 2, 2
local agreed, stale, spared, attempts = true, nil, nil, false

for i = 1, #KEYS do
  local key, name, allowed, wrong = KEYS[i], ARGV[at], false, false
  local counts = modes ~= '' and modes:byte(i) < 97
  at = at + 1
  --@peek
  if not allowed then
    local mode = modes == '' and 't' or modes:sub(i, i)
    if mode == 't' or mode == 'T' then
      agreed = false
    elseif mode == 'o' or mode == 'O' then
      spared = spared or {}
      spared[i] = true
    end
  end
  attempts = attempts or counts
  if wrong then
    stale = stale or {}
    stale[i] = true
  end
end

if (agreed or stale or attempts) and #modes <= #KEYS then
  words, at = 2, 2
  for i = 1, #KEYS do
    local key, name, wrong, takes = KEYS[i], ARGV[at], stale and stale[i], agreed and not (spared and spared[i])
    local attempt = attempts and not takes and modes:byte(i) < 97
    takes = takes or attempt
    local below = takes and modes ~= '' and modes:sub(i, i) == 'd'
    at = at + 1
    --@commit
  end
end

if not agreed then
  reply[1] = 0
end
return reply
