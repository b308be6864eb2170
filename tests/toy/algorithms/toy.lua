-- A window that begins with the first request in it: what tests/toy/algorithms/toy.cpp is in memory.
--
-- KEYS  "<used>~<end>": requests, microseconds since the epoch
-- ARGV  0  cost, below 0 to give back
--       1  count: most requests in a window
--       2  period in microseconds
-- Reply 0, 1  requests used before taking; microseconds to the end of the window

--@peek
local cost, period, used = ARGV[at] + 0, ARGV[at + 2] + 0, 0
local left = period
local stored = pcall('GET', key)
if type(stored) == 'string' then
  local number, moment = match(stored, '^(%d+)~(%d+)$')
  if number and moment + 0 > now then
    used, left = number + 0, moment - now
    if left > period then
      left, wrong = period, true
    end
  end
end
allowed = cost <= 0 or cost <= ARGV[at + 1] - used
reply[words], reply[words + 1] = used, left
words, at = words + 2, at + 3

--@commit
local used, left = reply[words], reply[words + 1]
if takes then
  local cost, room = ARGV[at] + 0, ARGV[at + 1] - used
  if cost > 0 and cost > room and not below then
    cost = room > 0 and room or 0
  end
  used = used + cost
  if used < 0 then
    used = 0
  elseif used > 20000000000000 then
    used = 20000000000000
  end
end
if wrong or used ~= reply[words] then
  if used == 0 then
    call('DEL', key)
  else
    call('SET', key, format('%d~%d', used, now + left), 'PX', format('%d', left / 1000 + 2))
  end
end
words, at = words + 2, at + 3
