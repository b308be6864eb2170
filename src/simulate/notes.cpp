#include "headgate/simulate/report.hpp"
#include "headgate/simulate/share_text.hpp"

namespace headgate::simulate {

std::vector<std::string> undecided_notes(const Figures& figures) {
  std::vector<std::string> out;
  for (const auto& limit : figures.limits) {
    const auto all = limit.requests() + limit.undecided;
    if (limit.undecided > 0)
      out.push_back("limit " + limit.name + " could not decide " + share_text(limit.undecided, all) + " of " +
                    number_text(all) + " requests: they do not tell " + limit.per + " (tell it with --as or --map)");
    if (limit.replaced > 0)
      out.push_back("limit " + limit.name + " counted " + share_text(limit.replaced, limit.requests()) + " of " +
                    number_text(limit.requests()) + " requests by what its if_absent has in place of " + limit.per);
  }
  if (figures.uncounted_keys > 0)
    out.push_back("there are more keys than fit into memory: " + number_text(figures.uncounted_keys) +
                  " requests are in no figure of keys");
  if (figures.evicted > 0)
    out.push_back(number_text(figures.evicted) +
                  " counters were given up for lack of memory (memory.max_keys), as they would be in the gateway");
  return out;
}

}  // namespace headgate::simulate
