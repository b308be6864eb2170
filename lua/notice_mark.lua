-- The mark of a notice that a key has reached a percentage of its quota, by which several gateways agree on the one
-- that sends it. Its value is the gateway that is sending it, or `told`.
--
-- KEYS  1  the mark.
-- ARGV  1  take, then
--       2  this gateway
--       3  how long the mark lasts, in milliseconds
-- Reply 0 if this gateway sends it, 1 if another one is sending it, 2 if it was sent.
-- ARGV  1  set, then
--       2  the new value
--       3  how long the mark lasts, in milliseconds
-- Reply 0.

local call = redis.call

if ARGV[1] == 'set' then
  call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  return {0}
end
if call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3]) then
  return {0}
end
local mark = call('GET', KEYS[1])
if mark == 'told' then
  return {2}
end
-- The answer to an earlier call of this gateway may have been lost.
return {mark == ARGV[2] and 0 or 1}
