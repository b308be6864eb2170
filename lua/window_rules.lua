-- Common to windows and logs, equivalent to src/limit/window_rules.hpp in the gateway. The build inserts the part where
-- the algorithms have `--+window_rules take`.
--
-- ARGV  0  cost, below 0 to give back
--
-- take   needs used, owed and room, and changes the first two. Takes the cost or as much as is left; with below, the
--        rest becomes a debt of at most 10^13. Gives back at most what was taken, first the debt.

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
      if owed > 10000000000000 then
        owed = 10000000000000
      end
    end
  elseif cost < 0 then
    local forgiven = -cost < owed and -cost or owed
    local back = -cost - forgiven
    used, owed = used - (back < used and back or used), owed - forgiven
  end
end
