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
--       8  the rest of the entry: bytes that the script does not read
-- Reply the id of the entry.
-- ARGV  1  read, then
--       2  how many entries at most
--       3  the id of the last entry that was read, or nothing
--       4  its digest
-- Reply Redis TIME; 1 if there are more entries, else 0; 1 if the entries are those at the beginning, else 0; the digest
--       of the last entry, or nothing; then the id and the text of each entry. The text is empty if no gateway can have
--       written the entry.
--
-- An entry is one field, `ban`: "<Redis TIME at the append> <how long it lasts from then on> <rest>". With a field for
-- each part, a read would hold up Redis several times as long.
--
-- All times are microseconds of Redis TIME, so that gateways with different clocks use the same time.
--
-- A stream only ever grows at its end. So if it has the entry that was read last, then all before it was read too, and
-- what is behind it is new. If it does not have that entry, the log is another one: the entry was lost in a failover, or
-- the log was deleted. Or the entry was trimmed, and then so were all before it. In each case what is new may stand
-- anywhere in the log, so it is read from its beginning. The digest tells an entry from one of the same id that another
-- master made after a failover.
--
-- Entries leave only from the beginning of the log. So no lift leaves before the suspension that it ends.

local call, pcall, format = redis.call, redis.pcall, string.format
local key = KEYS[1]
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

local function text_of(entry)
  local fields = entry[2]
  local text = fields[1] == 'ban' and fields[2]
  return text and #text <= 1024 and text or ''
end

if ARGV[1] == 'append' then
  local kept = tonumber(ARGV[5])
  local ended = {}
  for _, entry in ipairs(call('XRANGE', key, '-', '+', 'COUNT', 4)) do
    local at, lasts = text_of(entry):match('^(%d+) (%-?%d+) ')
    if not at then
      at, lasts = entry[1]:match('^%d+') * 1000, 0
    end
    if at + lasts + kept > now then
      break
    end
    ended[#ended + 1] = entry[1]
  end
  if #ended > 0 then
    call('XDEL', key, unpack(ended))
  end
  local text = format('%d', now) .. ' ' .. ARGV[7] .. ' ' .. ARGV[8]
  local function add(id)
    return pcall('XADD', key, 'MAXLEN', '~', ARGV[4], id, 'ban', text)
  end
  local behind = now / 1000 < tonumber(ARGV[2]) + 1
  local added = add(behind and ARGV[2] .. '-' .. ARGV[3] or '*')
  if behind and type(added) == 'table' then
    added = add('*')  -- the log is even further
  end
  if type(added) == 'table' then
    return added
  end
  local ttl = math.max(tonumber(ARGV[6]), (ARGV[7] + kept) / 1000)
  if call('PTTL', key) < ttl then
    call('PEXPIRE', key, format('%d', ttl))
  end
  return added
end

local most, entries, first, beginning = tonumber(ARGV[2]), nil, 1, 0
if ARGV[3] ~= '' then
  entries = call('XRANGE', key, ARGV[3], '+', 'COUNT', most + 2)
  local last = entries[1]
  if last and last[1] == ARGV[3] and redis.sha1hex(text_of(last)) == ARGV[4] then
    first = 2
  else
    entries = nil
  end
end
if not entries then
  beginning = 1
  entries = call('XRANGE', key, '-', '+', 'COUNT', most + 1)
end
local last = math.min(#entries, first + most - 1)
local reply = {now, last < #entries and 1 or 0, beginning, ''}
for i = first, last do
  reply[#reply + 1] = entries[i][1]
  reply[#reply + 1] = text_of(entries[i])
end
if last >= first then
  reply[4] = redis.sha1hex(reply[#reply])
end
return reply
