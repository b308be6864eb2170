-- A balance: the permits that are left of what an operator has added. Nothing comes back with time, so the key never
-- expires; equivalent to src/limit/balance.cpp in the gateway.
--
-- KEYS  "balance <permits>", below 0 in debt, at most 10^13 in either direction. Without a value, the key is new.
-- ARGV  0     cost, below 0 to add permits or give them back
--       1     the balance of a new key
-- Reply 0     the balance before taking

--@peek
local cost, left = ARGV[at] + 0, ARGV[at + 1] + 0
local stored = pcall('GET', key)
local number = type(stored) == 'string' and match(stored, '^balance (%-?%d+)$')
if number then
  left = number + 0
end
allowed = cost <= 0 or cost <= left
reply[words] = left
words, at = words + 1, at + 2

--@commit
if takes then
  local cost, left = ARGV[at] + 0, reply[words]
  if cost > left and not below and cost > 0 then
    cost = left > 0 and left or 0
  end
  if cost ~= 0 then
    left = left - cost
    left = left < 10000000000000 and left or 10000000000000
    left = left > -10000000000000 and left or -10000000000000
    call('SET', key, format('balance %d', left))
  end
end
words, at = words + 1, at + 2
