#include "headgate/simulate/report.hpp"
#include "headgate/simulate/share_text.hpp"

namespace headgate::simulate {

std::vector<std::string> undecided_notes(const Figures& figures, std::string_view hint) {
  std::vector<std::string> out;
  for (const auto& limit : figures.limits) {
    const auto all = limit.requests() + limit.undecided;
    const bool reads_body = limit.per.find("body:") != std::string::npos;
    if (limit.undecided > 0)
      out.push_back(
          "limit " + limit.name + " could not decide " + share_text(limit.undecided, all) + " of " + number_text(all) +
          " requests, because " +
          (reads_body ? "their bodies are not known" : "they do not name their " + limit.per + std::string(hint)));
    if (limit.replaced > 0)
      out.push_back("limit " + limit.name + " counted " + share_text(limit.replaced, limit.requests()) + " of " +
                    number_text(limit.requests()) + " requests by its if_absent, because they do not name their " +
                    limit.per);
    if (limit.costs_unknown > 0)
      out.push_back("limit " + limit.name + " counted " +
                    (limit.costs_unknown == limit.requests()
                         ? "every request"
                         : share_text(limit.costs_unknown, limit.requests()) + " of " + number_text(limit.requests()) +
                               " requests") +
                    " with its hold (or `otherwise`), because nothing says what it cost: only headgate's json log "
                    "does, for a limit of this name");
  }
  if (figures.uncounted_keys > 0)
    out.push_back("there are more keys than fit into memory, so " + number_text(figures.uncounted_keys) +
                  " requests are missing from the figures of keys");
  if (figures.evicted > 0)
    out.push_back(number_text(figures.evicted) +
                  " counters were dropped because memory.max_keys was reached, as in the gateway");
  return out;
}

}  // namespace headgate::simulate
