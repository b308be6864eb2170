-- The number of the last batch of settlements that a gateway has applied here. A batch is one call: this key, and the
-- counters that the batch changes. The call passes only if the number of its batch is higher, so a batch that is sent
-- again, because its answer was lost, changes nothing. The number and the counters change in one call, so they are
-- replicated and lost together.
--
-- KEYS  the number; it expires some time after the last batch.
-- ARGV  0     the number of the batch; a sender's batches come one after another, each with a higher number
--       1     time for which the number is kept, in milliseconds
-- Reply 0     number of the last batch

--@peek
local last = pcall('GET', key)
last = type(last) == 'string' and tonumber(last) or 0
allowed = last < ARGV[at] + 0
reply[words] = last
words, at = words + 1, at + 2

--@commit
if takes then
  call('SET', key, ARGV[at], 'PX', ARGV[at + 1])
end
words, at = words + 1, at + 2
