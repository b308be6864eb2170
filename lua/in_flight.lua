-- Concurrent requests: a sorted set of the requests that hold a permit, each with the moment until which it counts.
-- Before them, with scores below zero, are the requests that wait for a permit: the first one of each gateway.
--
-- KEYS  the sorted set: a token for each request that holds a permit, scored with microseconds since the epoch; and
--       "<arrival>:<token>" for each that waits, scored with the negative of the moment until which it counts. It
--       expires with its last holder.
-- ARGV  0     1 to take or renew, -1 to give back, 0 to read
--       1     maximum number of holders
--       2     time for which a permit is held without a renewal, in microseconds
--       3     the token of the request; the same token may take, renew and give back more than once
--       4     empty if the limit has no queue. Otherwise no request gets a permit before those that wait. The value is
--             the time that the request has waited, in microseconds, or -1 if it does not wait.
--       5     time for which a place in the queue is kept if its holder does not ask again, in microseconds
-- Reply 0     number of other requests that hold a permit or come before this one

--@peek
local used = pcall('ZCOUNT', key, format('(%d', now), '+inf')
if type(used) ~= 'number' then
  used = 0
end
local own = ARGV[at] ~= '0' and pcall('ZSCORE', key, ARGV[at + 3])
local held = type(own) == 'string' and own + 0 > now
if held then
  used = used - 1
elseif ARGV[at] == '1' and ARGV[at + 4] ~= '' then
  local waiting = pcall('ZRANGEBYSCORE', key, '-inf', format('(%d', -now))
  if type(waiting) == 'table' and not waiting.err then
    local since = now - (ARGV[at + 4] == '-1' and 0 or ARGV[at + 4])
    for i = 1, #waiting do
      local arrived, token = match(waiting[i], '^(%d+):(.*)$')
      if token == ARGV[at + 3] then
        since = arrived + 0
      end
    end
    for i = 1, #waiting do
      local arrived, token = match(waiting[i], '^(%d+):(.*)$')
      if arrived and token ~= ARGV[at + 3] and arrived + 0 <= since then
        used = used + 1
      end
    end
  end
end
allowed = held or ARGV[at] + 0 <= 0 or used < ARGV[at + 1] + 0
wrong = not allowed and ARGV[at + 4] ~= '' and ARGV[at + 4] ~= '-1'
reply[words] = used
words, at = words + 1, at + 6

--@commit
if ARGV[at + 4] ~= '' and (takes or wrong) then
  local since = now - (ARGV[at + 4] == '-1' and 0 or ARGV[at + 4])
  local waiting = pcall('ZRANGEBYSCORE', key, '-inf', '(0')
  for i = 1, type(waiting) == 'table' and #waiting or 0 do
    local arrived, token = match(waiting[i], '^(%d+):(.*)$')
    if token == ARGV[at + 3] then
      since = arrived + 0
      call('ZREM', key, waiting[i])
    end
  end
  if wrong and not takes then
    pcall('ZADD', key, format('%d', -now - ARGV[at + 5]), format('%d:', since) .. ARGV[at + 3])
  end
end
if takes and ARGV[at] == '1' then
  if type(pcall('ZREMRANGEBYSCORE', key, format('%d', -now), format('%d', now))) ~= 'number' then
    call('DEL', key)
  end
  call('ZADD', key, format('%d', now + ARGV[at + 2]), ARGV[at + 3])
  call('PEXPIRE', key, format('%d', ARGV[at + 2] / 1000 + 2))
elseif takes and ARGV[at] == '-1' then
  pcall('ZREM', key, ARGV[at + 3])
end
words, at = words + 1, at + 6
