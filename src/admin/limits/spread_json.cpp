#include "spread_json.hpp"

#include <nlohmann/json.hpp>

namespace headgate::admin {

nlohmann::ordered_json to_json(const services::Spread& spread) {
  nlohmann::ordered_json out = {{"written", spread.written}};
  if (!spread.written || !spread.heard) return out;
  out["heard"] = spread.heard->heard;
  out["of"] = spread.heard->of;
  return out;
}

}  // namespace headgate::admin
