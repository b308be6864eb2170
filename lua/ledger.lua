-- The ledger: the use of each key of a billed limit on a day, summed over all gateways. One call adds a batch of a
-- gateway, or reads some buckets. All keys of a call are in one slot.
--
-- A bucket is a hash: field = the limit's name, a space and the limit's key; value = "<used> <requests>".
--
-- KEYS  1  the hash of the gateways: the number of the last batch that each of them added to this day
--       2… the buckets, in the order of the arguments
-- ARGV  1  add, then
--       2  the gateway's name, which differs for each process
--       3  the number of the batch; a gateway's batches come one after another, each with a higher number
--       4  time for which the day is kept from now on, in milliseconds
--       5  maximum number of fields of a bucket
--       then for each bucket the number of its fields in the batch, and for each of them: field, used, requests
-- Reply 1 if the batch was added now, 0 if it was added before; then the use that found no room: used, requests.
--
-- KEYS  the buckets to read, in order
-- ARGV  1  read, then
--       2  number of fields after which no further bucket is read
-- Reply for each bucket that was read: its fields and values, alternating.
--
-- A gateway that gets no answer sends the same batch again. The number of the batch and the sums change in one call, so
-- they are replicated and lost together, and a batch counts once.

local call, format = redis.call, string.format

if ARGV[1] == 'read' then
  local reply, found, enough = {}, 0, tonumber(ARGV[2])
  for i, key in ipairs(KEYS) do
    reply[i] = call('HGETALL', key)
    found = found + #reply[i] / 2
    if found >= enough then
      break
    end
  end
  return reply
end

local most, full = 9007199254740991, tonumber(ARGV[5])  -- the largest integer that Lua represents exactly
if (tonumber(call('HGET', KEYS[1], ARGV[2]) or 0) or 0) >= tonumber(ARGV[3]) then
  return {0, 0, 0}
end

-- Reads everything before it writes anything, so that an error, such as a key of another type, changes nothing.
local at, writes, lost, lost_requests = 6, {}, 0, 0
for i = 2, #KEYS do
  local count, fields = tonumber(ARGV[at]), {}
  for j = 1, count do
    fields[j] = ARGV[at + 3 * j - 2]
  end
  local known = call('HMGET', KEYS[i], unpack(fields))
  local room, set = full - call('HLEN', KEYS[i]), {}
  for j = 1, count do
    local used, requests = tonumber(ARGV[at + 3 * j - 1]), tonumber(ARGV[at + 3 * j])
    if not known[j] and room <= 0 then
      lost, lost_requests = math.min(lost + used, most), math.min(lost_requests + requests, most)
    else
      if known[j] then
        local before, requests_before = known[j]:match('^(%d+) (%d+)$')
        used, requests = used + (before or 0), requests + (requests_before or 0)
      else
        room = room - 1
      end
      set[#set + 1] = fields[j]
      set[#set + 1] = format('%d', math.min(used, most)) .. ' ' .. format('%d', math.min(requests, most))
    end
  end
  writes[i] = set
  at = at + 1 + 3 * count
end

for i = 2, #KEYS do
  if #writes[i] > 0 then
    call('HSET', KEYS[i], unpack(writes[i]))
    call('PEXPIRE', KEYS[i], ARGV[4])
  end
end
call('HSET', KEYS[1], ARGV[2], ARGV[3])
call('PEXPIRE', KEYS[1], ARGV[4])
return {1, lost, lost_requests}
