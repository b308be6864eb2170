-- One step of a waiting room. docs/inside.md explains it; src/room/line.cpp is the same step in memory.
--
-- KEYS  1  the room: 512 bytes of text, then 16384 places of two bytes if visitors are counted.
--          The text is whole numbers with blanks between them: next, serving, at, part, credit, mark, 8 marks, width,
--          slice, 16 ends. Any other text counts as no room.
--       2  the numbers of the caller's owner, as text, in ascending order. Absent if its numbers are not bounded.
-- ARGV  1  look, arrive, present, remain or observe
--       2  the number of the caller's ticket or pass; 0 if it has none
--       3  lower bound of next
--       4  lower bound of serving
--       5  how many numbers a new caller takes
--       6  admissions in a period; 0 if not limited by time
--       7  the period, in microseconds
--       8  maximum number of admissions that are saved up while nobody waits
--       9  length of one slice of the grace, in microseconds
--      10  number of taken places at which the room is full; 0 if visitors are not counted
--      11  length of one slice in which places end, in microseconds
--      12  number of these slices for which a called number is inside
--      13  number of these slices for which a visitor is inside after it was seen
--      14  time to live, in milliseconds
--      15  maximum number of numbers and places of an owner
-- Reply a flat array of integers: 0 waiting, 1 inside, 2 only looked; 1 if the caller came too late; its number; next;
--       serving; places taken.
--
-- Time is Redis TIME, in microseconds since the epoch. All numbers stay below 2^53, where Lua is exact.

local call, pcall, format = redis.call, redis.pcall, string.format
local floor, max, min = math.floor, math.max, math.min
local key, ask = KEYS[1], ARGV[1]
local a = {}
for i = 2, #ARGV do
  a[i] = ARGV[i] + 0
end
local number, stride, count, burst, most = a[2], a[5], a[6], a[8], a[10]
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local kHead, kPlaces, kNumbers = 512, 16384, 65535

local s, known = {}, 0
local text = pcall('GETRANGE', key, 0, kHead - 1)
if type(text) == 'string' then
  for word in text:gmatch('%S+') do
    known = known + 1
    s[known] = tonumber(word)
    if not s[known] then
      known = 0
      break
    end
  end
end
if known ~= 32 then
  for i = 1, 32 do
    s[i] = 0
  end
  call('DEL', key)
end
local next, serving, at, part, credit, mark, width, slice = s[1], s[2], s[3], s[4], s[5], s[6], s[15], s[16]

if at == 0 then
  at, credit, mark = now, burst, floor(now / a[9])
end
if now < at then
  if at - now > 10000000 then
    at = now
  else
    now = at
  end
end

local before = serving
next = max(next, a[3], number)
serving = max(serving, a[4])
if ask == 'remain' then
  serving = max(serving, number)
end
next = max(next, serving)
local called_elsewhere = serving - before

local current = floor(now / a[9])
if current > mark then
  for i = 14, 8, -1 do
    s[i] = s[i - 1]
  end
  s[7] = serving
end
mark = current

local function taken()
  local sum = 0
  for i = 17, 32 do
    sum = sum + s[i]
  end
  return sum
end

if most > 0 then
  current = floor(now / a[11])
  if width ~= a[11] or current + 1 < slice then
    local inside = width > 0 and taken() or 0
    for i = 17, 32 do
      s[i] = 0
    end
    call('DEL', key)
    width, slice = a[11], current
    s[17 + (current + a[13]) % 16] = inside
  end
  for i = slice, min(slice + 15, current - 1) do
    s[17 + i % 16] = 0
  end
  slice = max(slice, current)
end

-- Returns the value stored at the place of a number, and the offset of the place.
local function place_of(n)
  local mixed = (n * 7919 + 123457) % 67108859
  local offset = kHead + 2 * floor(mixed * mixed % 67108859 / 4096)
  local high, low = call('GETRANGE', key, offset, offset + 1):byte(1, 2)
  return high and low and high * 256 + low or 0, offset
end

local function slices_left(place)
  return (place - 1 - slice % kNumbers) % kNumbers
end

local function take(n, slices)
  local place, offset = place_of(n)
  if place > 0 then
    local left = slices_left(place)
    if left < 16 then
      if left >= slices then
        return
      end
      local earlier = 17 + (slice + left) % 16
      s[earlier] = max(s[earlier] - 1, 0)
    end
  end
  local last = slice + slices
  s[17 + last % 16] = s[17 + last % 16] + 1
  place = last % kNumbers + 1
  call('SETRANGE', key, offset, string.char(floor(place / 256), place % 256))
end

if count > 0 then
  local passed = now - at
  local parts = passed % a[7] * count + part
  credit = credit + floor(passed / a[7]) * count + floor(parts / a[7])
  part = parts % a[7]
  if credit >= burst then
    credit, part = burst, 0
  end
  -- Numbers that were called elsewhere since the last question use up credit of this room as well.
  credit = max(credit - called_elsewhere, 0)
end
at = now

local function advance()
  local calls = next - serving
  if count > 0 then
    calls = min(calls, credit)
  end
  if most > 0 then
    calls = min(calls, max(most - taken(), 0) * stride, 1000)
    for n = serving + 1, serving + calls do
      if (next - n) % stride == 0 then
        take(n, a[12])
      end
    end
  end
  serving = serving + calls
  if count > 0 then
    credit = credit - calls
  end
end

-- The numbers that the owner still has: those that wait, may still come in, or have a place.
local owner = KEYS[2]
local held = {}
if owner then
  local numbers = pcall('GET', owner)
  if type(numbers) ~= 'string' then
    numbers = ''
    call('DEL', owner)
  end
  for word in numbers:gmatch('%d+') do
    local n = word + 0
    local keeps = n > s[14]
    if not keeps and most > 0 then
      local at = place_of(n)
      keeps = at > 0 and slices_left(at) < 16
    end
    if keeps then
      held[#held + 1] = n
    end
  end
end

-- After a failover, a number may arrive that is not recorded for its owner.
local function remember(n)
  local at = 1
  while held[at] and held[at] < n do
    at = at + 1
  end
  if held[at] ~= n and #held < a[15] then
    table.insert(held, at, n)
  end
end

local place, lost = 2, false
if ask == 'present' then
  advance()
  lost = number <= s[14]
end
local newcomer = ask == 'arrive' or ask == 'observe' or lost
if newcomer then
  if owner and #held >= a[15] then
    number = held[#held]
  else
    next = next + stride
    number = next
    if owner then
      held[#held + 1] = number
    end
  end
elseif owner and ask ~= 'look' then
  remember(number)
end
if newcomer or ask == 'look' then
  advance()
end
if ask ~= 'look' then
  place = (ask == 'remain' or number <= serving) and 1 or 0
end
if ask == 'observe' then
  serving = next
end
if most > 0 and (place == 1 or ask == 'observe') then
  take(number, a[13])
end

s[1], s[2], s[3], s[4], s[5], s[6], s[15], s[16] = next, serving, at, part, credit, mark, width, slice
for i = 1, 32 do
  s[i] = format('%d', s[i])
end
text = table.concat(s, ' ', 1, 32)
call('SETRANGE', key, 0, text .. (' '):rep(kHead - #text))
call('PEXPIRE', key, ARGV[14])
if #held > 0 then
  local live = max(8 * a[9], most > 0 and 16 * a[11] or 0) / 1000
  if held[#held] > serving then
    live = ARGV[14]
  else
    live = format('%d', floor(live) + 1)
  end
  for i = 1, #held do
    held[i] = format('%d', held[i])
  end
  call('SET', owner, table.concat(held, ' '), 'PX', live)
end
for i = 17, 32 do
  s[i] = s[i] + 0
end
return {place, lost and 1 or 0, number, next, serving, most > 0 and taken() or 0}
