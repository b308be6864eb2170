-- The log of suspensions that gateways share: a stream with one entry for each suspension or lift. One call appends an
-- entry, or reads the entries behind a position.
--
-- KEYS  1  the stream.
-- ARGV  1  append, then
--       2  the id that the entry must at least have, if Redis TIME is behind it: milliseconds
--       3                                                                         and number
--       4  the longest that the log may be, about
--       5  how long an entry stays behind the end of its suspension, in microseconds
--       6  the least time to live of the log, in milliseconds
--       7  how long the suspension lasts from now on, in microseconds
--       8  ... fields and values of the entry. The script adds the field `at`: Redis TIME.
-- Reply the id of the entry.
-- ARGV  1  read, then
--       2  how many entries at most
--       3  the id of the last entry that was read, or nothing
--       4  its mark
-- Reply Redis TIME; 1 if there are more entries, else 0; 1 if the entries are those at the beginning, else 0; the
--       entries, each as its id, its mark, and its fields and values. The fields are empty if they are too large for an
--       entry of a gateway.
--
-- All times are microseconds of Redis TIME, so that gateways with different clocks use the same time.
--
-- A stream only ever grows at its end. So if it has the entry that was read last, then all before it was read too, and
-- what is behind it is new. If it does not have that entry, the log is another one: the entry was lost in a failover, or
-- the log was deleted. Or the entry was trimmed, and then so were all before it. In each case what is new may stand
-- anywhere in the log, so it is read from its beginning. The mark is random. It tells an entry from one of the same id
-- that another master made after a failover.
--
-- Entries leave only from the beginning of the log. So no lift leaves before the suspension that it ends.

local call, pcall, format = redis.call, redis.pcall, string.format
local key = KEYS[1]
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local function value_of(fields, name)
  for i = 1, #fields - 1, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return nil
end

local function mark_of(entry)
  local mark = value_of(entry[2], 'mark')
  return mark and #mark <= 32 and mark or ''
end

if ARGV[1] == 'append' then
  local kept, lasts = tonumber(ARGV[5]), tonumber(ARGV[7])
  local ended = {}
  for _, entry in ipairs(call('XRANGE', key, '-', '+', 'COUNT', 8)) do
    local at = tonumber(value_of(entry[2], 'at')) or tonumber(entry[1]:match('^%d+')) * 1000
    if at + (tonumber(value_of(entry[2], 'lasts')) or 0) + kept > now then
      break
    end
    ended[#ended + 1] = entry[1]
  end
  if #ended > 0 then
    call('XDEL', key, unpack(ended))
  end
  local fields = {unpack(ARGV, 8)}
  fields[#fields + 1] = 'at'
  fields[#fields + 1] = format('%d', now)
  local function add(id)
    return pcall('XADD', key, 'MAXLEN', '~', ARGV[4], id, unpack(fields))
  end
  local behind = now / 1000 < tonumber(ARGV[2]) + 1
  local added = add(behind and ARGV[2] .. '-' .. ARGV[3] or '*')
  if behind and type(added) == 'table' then
    added = add('*')  -- the log is even further
  end
  if type(added) == 'table' then
    return added
  end
  local ttl = math.max(tonumber(ARGV[6]), (lasts + kept) / 1000)
  if call('PTTL', key) < ttl then
    call('PEXPIRE', key, format('%d', ttl))
  end
  return added
end

local most, entries = tonumber(ARGV[2]), nil
if ARGV[3] ~= '' then
  entries = call('XRANGE', key, ARGV[3], '+', 'COUNT', most + 2)
  local last = entries[1]
  if last and last[1] == ARGV[3] and mark_of(last) == ARGV[4] then
    table.remove(entries, 1)
  else
    entries = nil
  end
end
local beginning, more = 0, 0
if not entries then
  beginning = 1
  entries = call('XRANGE', key, '-', '+', 'COUNT', most + 1)
end
if #entries > most then
  more = 1
  entries[#entries] = nil
end
for i, entry in ipairs(entries) do
  local fields, size = entry[2], 0
  for _, word in ipairs(fields) do
    size = size + #word
  end
  entries[i] = {entry[1], mark_of(entry), (#fields > 64 or size > 2048) and {} or fields}
end
return {now, more, beginning, entries}
