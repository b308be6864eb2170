-- The fingerprints of each gateway's limits, by which gateways that share Redis notice that their limits differ. One
-- call reports those of one gateway, and returns which of its limits other gateways have in another version.
--
-- All limits of a gateway together have one digest. A sorted set lists the present gateways with their digests, and for
-- each digest there is a text with the fingerprints of these limits. So while all gateways agree, only digests are
-- compared.
--
-- KEYS  1  the sorted set: "<digest> <gateway> <instance>", scored with the moment until which it counts, in
--          microseconds of Redis TIME.
--       The texts are at "<KEYS[1]>:<digest>", in the same slot: "<limit> <fingerprint>" and a line feed for each
--       limit. All keys expire.
-- ARGV  1  tell, then
--       2  the digest: 32 hexadecimal digits
--       3  the gateway: unique to its process, without a space
--       4  its instance, the name for people
--       5  how long the report is valid, in microseconds
--       6  the text
-- Reply the number of present gateways; then for each limit with another version, at most 64 of them: its name, the
--       number of gateways with another version, and the instance of one of these.
-- ARGV  1  leave, and 2 to 4 as in the report
-- Reply the number of removed reports.

local call = redis.call
local key = KEYS[1]
local own, member = ARGV[2], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4]

if ARGV[1] == 'leave' then
  return {call('ZREM', key, member)}
end

local time = call('TIME')
local now, patience = time[1] * 1000000 + time[2], tonumber(ARGV[5])
local lasts = string.format('%d', 4 * patience / 1000)
-- A clock that was ahead (before a replica took over) has left moments that are too late.
if type(redis.pcall('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now))) ~= 'number' then
  call('DEL', key)
end
call('ZREMRANGEBYSCORE', key, string.format('(%d', now + patience), '+inf')
local before = call('ZRANGEBYSCORE', key, '-inf', '+inf', 'LIMIT', 0, 1024)
for i = 1, #before do
  local digest, gateway = before[i]:match('^(%x+) (%S+) ')
  if gateway == ARGV[3] and before[i] ~= member then
    call('ZREM', key, before[i])
  end
end
call('ZADD', key, string.format('%d', now + patience), member)
call('PEXPIRE', key, lasts)
call('SET', key .. ':' .. own, ARGV[6], 'PX', lasts)

local there, others, order = 1, {}, {}
for i = 1, #before do
  local digest, gateway, instance = before[i]:match('^(%x+) (%S+) (.*)$')
  if digest and gateway ~= ARGV[3] then
    there = there + 1
    if digest ~= own then
      if not others[digest] then
        others[digest] = {0, instance}
        order[#order + 1] = digest
      end
      others[digest][1] = others[digest][1] + 1
    end
  end
end

local reply = {there}
if #order == 0 then
  return reply
end
local mine, wrong, names = {}, {}, {}
for limit, fingerprint in ARGV[6]:gmatch('([^ \n]+) (%x+)\n') do
  mine[limit] = fingerprint
end
for i = 1, #order < 8 and #order or 8 do
  local text = redis.pcall('GET', key .. ':' .. order[i])
  for limit, fingerprint in (type(text) == 'string' and text or ''):gmatch('([^ \n]+) (%x+)\n') do
    if mine[limit] and mine[limit] ~= fingerprint then
      if not wrong[limit] then
        wrong[limit] = {0, others[order[i]][2]}
        names[#names + 1] = limit
      end
      wrong[limit][1] = wrong[limit][1] + others[order[i]][1]
    end
  end
end
table.sort(names)
for i = 1, #names < 64 and #names or 64 do
  reply[#reply + 1] = names[i]
  reply[#reply + 1] = wrong[names[i]][1]
  reply[#reply + 1] = wrong[names[i]][2]
end
return reply
