#include "spread_json.hpp"

#include <nlohmann/json.hpp>

namespace headgate::server {

nlohmann::ordered_json to_json(const Spread& spread) {
  nlohmann::ordered_json out = {{"written", spread.written}};
  if (!spread.written || !spread.heard) return out;
  out["heard"] = spread.heard->heard;
  out["of"] = spread.heard->of;
  return out;
}

}  // namespace headgate::server
