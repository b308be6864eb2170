-- The id of a top-up. A top-up is one call: this key, and the balance that it changes. The call passes only if the id
-- is new, so a top-up that is sent again changes nothing.
--
-- KEYS  the amount that was added with this id; it expires.
-- ARGV  0     the amount to add, below 0 to take back
--       1     time for which the id is kept, in milliseconds
-- Reply 0, 1  1 if the id was used before, otherwise 0; the amount that was added with it

--@peek
local added = pcall('GET', key)
added = type(added) == 'string' and tonumber(added)
allowed = not added
reply[words], reply[words + 1] = added and 1 or 0, added or 0
words, at = words + 2, at + 2

--@commit
if takes then
  call('SET', key, ARGV[at], 'PX', ARGV[at + 1])
end
words, at = words + 2, at + 2
