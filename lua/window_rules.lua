-- What fixed_window, sliding_window and sliding_log have in common, as src/limit/window_rules.hpp has it for the gateway. The build
-- puts the part where the algorithms say `--+window_rules take`.
--
-- ARGV  0  cost, below 0 to give back
--
-- take   needs used, owed and room, and changes the first two: takes the cost or what there is of it, with below the rest of it as a
--        debt of at most 10^9; gives back no more than was taken, what is owed first.

--@take
if takes then
  local cost = ARGV[at] + 0
  if cost > 0 then
    local taking = room > 0 and room or 0
    if cost < taking then
      taking = cost
    end
    used = used + taking
    if below then
      owed = owed + cost - taking
      if owed > 1000000000 then
        owed = 1000000000
      end
    end
  elseif cost < 0 then
    local forgiven = -cost < owed and -cost or owed
    local back = -cost - forgiven
    used, owed = used - (back < used and back or used), owed - forgiven
  end
end
