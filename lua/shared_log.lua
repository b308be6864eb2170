-- A log that gateways share: a stream with one entry for each change (a suspension or a lift, an override or its end).
-- One call appends an entry, or reads the entries after a position. Beside the stream, a hash lists the present
-- gateways and how far each has read. One call reports how far a gateway has read, and asks how many have read up to
-- some entry.
--
-- KEYS  1  the stream; for hear and leave, the hash.
-- ARGV  1  append, then
--       2  the field of the entry
--       3  the lowest id that the entry may have if Redis TIME is behind it: milliseconds
--       4                                                                     and number
--       5  approximate maximum number of entries
--       6  how long an entry is kept after its end, in microseconds
--       7  minimum time to live of the log, in milliseconds
--       8  how long the entry is valid from now on, in microseconds
--       9  the rest of the entry: bytes that the script does not read
-- Reply the id of the entry.
-- ARGV  1  read, then
--       2  the field of the entries
--       3  maximum number of entries
--       4  the id of the last entry that was read, or nothing
--       5  its digest
-- Reply Redis TIME; 1 if there are more entries, otherwise 0; 1 if the entries are those at the beginning, otherwise 0;
--       the digest of the last entry, or nothing; then the id and the text of each entry. The text is empty if no
--       gateway can have written the entry.
--
-- ARGV  1  hear, then
--       2  the name of the gateway, unique to its process
--       3  the id of the last entry that it acts on: milliseconds
--       4                                            and number
--       5  the id of the entry in question: milliseconds
--       6                                   and number
--       7  time in microseconds after which a silent gateway no longer counts
-- Reply how many gateways act on the entry; how many are present.
-- ARGV  1  leave, then
--       2  the name of the gateway
-- Reply how many gateways with this name were present.
--
-- An entry is one field: "<Redis TIME at the append> <how long it is valid from then on> <rest>". With a field for
-- each part, a read would block Redis several times as long. A field of the hash is the name of a gateway; its value
-- is "<Redis TIME> <milliseconds> <number>".
--
-- All times are microseconds of Redis TIME, so that gateways with different clocks use the same time.
--
-- A stream only grows at its end. So if it has the entry that was read last, all entries before that were read too, and
-- all entries after it are new. If it does not have that entry, the entry was lost in a failover, the log was deleted,
-- or the entry was trimmed together with all before it. In each case new entries may be anywhere in the log, so it is
-- read from its beginning. The digest distinguishes an entry from one with the same id that another master made after a
-- failover.
--
-- Entries are removed only from the beginning of the log, so no lift is removed before the entry that it ends.

local call, pcall, format = redis.call, redis.pcall, string.format
local key = KEYS[1]
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

if ARGV[1] == 'hear' then
  local milliseconds, number, patience = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
  call('HSET', key, ARGV[2], format('%d %d %d', now, ARGV[3], ARGV[4]))
  call('PEXPIRE', key, format('%d', 4 * patience / 1000))
  local all, of, heard = call('HGETALL', key), 0, 0
  for i = 1, #all, 2 do
    local at, first, second = all[i + 1]:match('^(%d+) (%d+) (%d+)$')
    if not at or math.abs(now - at) > patience then
      call('HDEL', key, all[i])
    else
      of = of + 1
      first, second = tonumber(first), tonumber(second)
      if first > milliseconds or (first == milliseconds and second >= number) then
        heard = heard + 1
      end
    end
  end
  return {heard, of}
end

if ARGV[1] == 'leave' then
  return call('HDEL', key, ARGV[2])
end

local field = ARGV[2]
local function text_of(entry)
  local fields = entry[2]
  local text = fields[1] == field and fields[2]
  return text and #text <= 2048 and text or ''
end

if ARGV[1] == 'append' then
  local kept = tonumber(ARGV[6])
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
  local text = format('%d', now) .. ' ' .. ARGV[8] .. ' ' .. ARGV[9]
  local function add(id)
    return pcall('XADD', key, 'MAXLEN', '~', ARGV[5], id, field, text)
  end
  local behind = now / 1000 < tonumber(ARGV[3]) + 1
  local added = add(behind and ARGV[3] .. '-' .. ARGV[4] or '*')
  if behind and type(added) == 'table' then
    added = add('*')  -- the log is already beyond that id
  end
  if type(added) == 'table' then
    return added
  end
  local ttl = math.max(tonumber(ARGV[7]), (ARGV[8] + kept) / 1000)
  if call('PTTL', key) < ttl then
    call('PEXPIRE', key, format('%d', ttl))
  end
  return added
end

local most, entries, first, beginning = tonumber(ARGV[3]), nil, 1, 0
if ARGV[4] ~= '' then
  entries = call('XRANGE', key, ARGV[4], '+', 'COUNT', most + 2)
  local last = entries[1]
  if last and last[1] == ARGV[4] and redis.sha1hex(text_of(last)) == ARGV[5] then
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
