#include "admin/endpoint_groups.hpp"

#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace headgate::admin {

AdminEndpoint bounds_endpoint(const BoundsBoard& bounds) {
  const auto answer = [&bounds](const AdminCall&) {
    auto table = bounds.table();
    const auto share = [](const BoundUse& use) {
      return static_cast<double>(use.used) / static_cast<double>(use.most);
    };
    std::stable_partition(table.begin(), table.end(),
                          [](const BoundUse& use) { return reaches(use, NearBounds::kBegins); });
    auto rows = nlohmann::ordered_json::array();
    for (const auto& each : table) {
      constexpr double kThousand = 1000;
      nlohmann::ordered_json row = {{"bound", each.bound},
                                    {"used", each.used},
                                    {"limit", each.most},
                                    {"unit", each.in_bytes ? "bytes" : "count"},
                                    {"share", std::round(share(each) * kThousand) / kThousand},
                                    {"warns", each.full == BoundUse::Full::wrong},
                                    {"when_full", each.when_full}};
      if (!each.held_by.empty()) row["held_by"] = each.held_by;
      if (each.refused > 0) row["refused"] = each.refused;
      rows.push_back(std::move(row));
    }
    return AdminAnswer{.body = services::text_of({{"bounds", std::move(rows)}}), .type = AdminAnswer::kJson};
  };
  return {.method = "GET",
          .path = "/api/v1/bounds",
          .answer = answer,
          .about = {.summary = "All bounds of this gateway beside how much of each is used, those nearly reached first",
                    .answer = "Bounds"}};
}

}  // namespace headgate::admin
