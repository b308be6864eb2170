#include "headgate/observe/limit_top.hpp"

#include "headgate/core/hash.hpp"

#include <utility>

namespace headgate::observe {

LimitTop& WorkerTops::of(std::string_view limit) {
  if (const auto known = tops_.find(limit); known != tops_.end()) return known->second;
  return tops_.try_emplace(std::string(limit), keyed_hash(limit, seed_).low).first->second;
}

std::vector<LimitSketches> WorkerTops::take() {
  std::vector<LimitSketches> out;
  for (auto& [limit, top] : tops_) {
    LimitSketches taken{.limit = limit, .rejected = top.take_rejected(), .allowed = top.take_allowed()};
    if (taken.rejected || taken.allowed) out.push_back(std::move(taken));
  }
  return out;
}

}  // namespace headgate::observe
