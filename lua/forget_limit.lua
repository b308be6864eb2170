-- One step of forgetting the use of all keys of a limit: examines some keys of this server, and removes those that are
-- counters of the limit. The caller continues with the cursor of the reply until it is 0. Like SCAN, the steps see
-- every key that exists from the first step to the last.
--
-- Keys that prevent doing something twice are kept: those of appointments (":appointment:<id>", ":appointments of
-- <address>") and of charges (":charged:<token>"). Permits in flight are kept as well. All of these expire on their
-- own.
--
-- KEYS  none, because the step concerns a server rather than a slot of a cluster.
-- ARGV  1  the cursor; 0 for the first step
--       2  the beginning of the names of counters: "<prefix>v1:{"
--       3  the text after the caller's key: ":<limit>"
--       4  approximate number of keys to examine
--       5  the names of all algorithms, with ":" before and after each
-- Reply the next cursor, the number of removed keys, the number of examined keys, and the number of keys of the server.

local call, pcall, find = redis.call, redis.pcall, string.find

-- The parts that may follow the name of a limit, in this order: those of limit::name_rule, and the offences of a ban.
local kParts = {
  function(part) return part == 'month' or find(part, '^%d+%a+$') end,
  function(part) return find(part, '^%u[%w_/+-]*$') end,  -- a time zone
  function(part) return part ~= '' and find(ARGV[5], ':' .. part .. ':', 1, true) end,
  function(part) return find(part, '^v%d+$') end,
  function(part) return part == 'ban' end,
}

local function is_counter(rest)
  if rest == '' or rest == ':' then
    return true
  end
  if rest:sub(1, 1) ~= ':' then
    return false
  end
  local at = 0
  for part in rest:sub(2):gmatch('[^:]*:?') do
    if part == '' then
      break
    end
    part = part:gsub(':$', '')
    repeat
      at = at + 1
    until not kParts[at] or kParts[at](part)
    if not kParts[at] then
      return false
    end
  end
  return rest:sub(-1) ~= ':'
end

-- Keys other than counters can have names of the same form. They are recognised only with commands that decisions use
-- as well, so that a gateway needs no further rights.
local function is_other(key, tag, limit)
  if tag == 'limits' then
    return find(limit, '^:%x+$') and #limit == 33  -- fingerprints
  end
  if find(tag, '^room:[%w_.-]+$') then  -- the numbers of an owner in a waiting room, if the room exists
    return type(pcall('LLEN', ARGV[2] .. tag .. '}')) ~= 'number'
  end
  if tag == 'bans' or tag == 'overrides' or find(tag, '^usage:%d+%-%d+%-%d+:%d+$') then  -- hashes
    return type(pcall('GET', key)) == 'table' and type(pcall('LLEN', key)) ~= 'number'
  end
  return false
end

local step = call('SCAN', ARGV[1], 'COUNT', ARGV[4])
local begin, limit = ARGV[2], ARGV[3]
local removed = 0
for _, key in ipairs(step[2]) do
  if key:sub(1, #begin) == begin then
    local tag = find(key, '}', #begin + 1, true)  -- in a caller's key it is written %7D
    if tag and key:sub(tag + 1, tag + #limit) == limit and is_counter(key:sub(tag + #limit + 1)) and
        not is_other(key, key:sub(#begin + 1, tag - 1), limit) then
      local done = pcall('UNLINK', key)
      if type(done) == 'number' then
        removed = removed + done
      elseif not find(done.err, 'non local key', 1, true) then  -- the slot is moving to another node
        return done
      end
    end
  end
end
return {step[1], removed, #step[2], call('DBSIZE')}
