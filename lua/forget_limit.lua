-- One step of forgetting what all keys of a limit have used: looks at some of the keys of this server, and removes those
-- that are counters of the limit. Who calls it goes on with the cursor of the reply, until that is 0. As SCAN, it sees
-- every key that is there from the first step to the last.
--
-- KEYS  none: the step is about a server, and not about a slot of a cluster.
-- ARGV  1  the cursor; 0 for the first step
--       2  what the names of counters begin with: "<prefix>v1:{"
--       3  what stands behind the name of the caller: ":<limit>", and after it nothing, or another ":"
--       4  about how many keys to look at
-- Reply the next cursor, the number of keys removed, the number of keys looked at, and the number of keys of the server.

local call, pcall, find = redis.call, redis.pcall, string.find

local step = call('SCAN', ARGV[1], 'COUNT', ARGV[4])
local begin, limit = ARGV[2], ARGV[3]
local removed = 0
for _, key in ipairs(step[2]) do
  if key:sub(1, #begin) == begin then
    local tag = find(key, '}', #begin + 1, true)  -- in the name of a caller it is written %7D
    if tag and key:sub(tag + 1, tag + #limit) == limit then
      local after = key:sub(tag + #limit + 1, tag + #limit + 1)
      if after == '' or after == ':' then
        local done = pcall('UNLINK', key)
        if type(done) == 'number' then
          removed = removed + done
        elseif not find(done.err, 'non local key', 1, true) then  -- its slot is on its way to another node
          return done
        end
      end
    end
  end
end
return {step[1], removed, #step[2], call('DBSIZE')}
