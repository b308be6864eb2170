-- Requests at the same time: a sorted set of those that hold a permit, each with the moment until which it counts.
--
-- KEYS  the sorted set: a token for each request, scored with microseconds since the epoch. It expires with its last
--       holder.
-- ARGV  0     1 to take or to renew, -1 to give back, 0 to look
--       1     maximum number of holders
--       2     how long a permit is held without a renewal, in microseconds
--       3     the token of the request; the same token may take, renew and give back more than once
-- Reply 0     other requests that hold a permit

--@peek
local used = pcall('ZCOUNT', key, format('(%d', now), '+inf')
if type(used) ~= 'number' then
  used = 0
end
local own = ARGV[at] ~= '0' and pcall('ZSCORE', key, ARGV[at + 3])
local held = type(own) == 'string' and own + 0 > now
if held then
  used = used - 1
end
allowed = held or ARGV[at] + 0 <= 0 or used < ARGV[at + 1] + 0
reply[words] = used
words, at = words + 1, at + 4

--@commit
if takes and ARGV[at] == '1' then
  if type(pcall('ZREMRANGEBYSCORE', key, '-inf', format('%d', now))) ~= 'number' then
    call('DEL', key)
  end
  call('ZADD', key, format('%d', now + ARGV[at + 2]), ARGV[at + 3])
  call('PEXPIRE', key, format('%d', ARGV[at + 2] / 1000 + 2))
elseif takes and ARGV[at] == '-1' then
  pcall('ZREM', key, ARGV[at + 3])
end
words, at = words + 1, at + 4
